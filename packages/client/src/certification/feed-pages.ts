import { randomUUID } from 'node:crypto';
import type { AnyEvent } from './deliveries.ts';
import type { Body, Rule } from './proxied-calls.ts';
import { callsOf } from './proxied-calls.ts';

const PAGES = 2;
const DEFAULT_LIMIT = 50;

/** The prefix of the cursors that made-up pages return. */
const prefix = (page: number) => `certification-${page}.`;

/** Rules that put full pages of other events before the feed's next page. */
export function fullFeedPages(missed: AnyEvent): Rule[] {
  const otherEvents = (limit: number): AnyEvent[] =>
    Array.from({ length: limit }, () => ({ ...missed, event_id: randomUUID(), hold_id: randomUUID() }));
  const madeUpPage = (page: number): Rule => ({
    isFor: (call) => callsOf('listEvents')(call) && pageOf(call.query.get('after')) === page,
    fault: {
      kind: 'made up',
      body: ({ query }) => {
        const data = otherEvents(Number(query.get('limit') ?? DEFAULT_LIMIT));
        const ownCursor = ownCursorOf(query.get('after'));
        return {
          success: true,
          count: data.length,
          data,
          next_cursor: `${prefix(page + 1)}${ownCursor}`,
        } satisfies Body;
      },
    },
  });
  // Each made-up page comes once. After them, the feed continues with the sandbox's own pages.
  return Array.from({ length: PAGES }, (_, page) => ({ ...madeUpPage(page), times: 1 }));
}

/** Replaces a made-up cursor by the sandbox's own cursor inside it. */
export const OWN_CURSORS: Rule = {
  isFor: (call) => callsOf('listEvents')(call) && pageOf(call.query.get('after')) > 0,
  fault: {
    kind: 'query',
    query: (query) => ({ after: ownCursorOf(query.get('after')) || undefined }),
  },
};

function pageOf(after: string | null): number {
  return Number(/^certification-(\d+)\./.exec(after ?? '')?.[1] ?? 0);
}

const ownCursorOf = (after: string | null): string => (after ?? '').replace(/^certification-\d+\./, '');
