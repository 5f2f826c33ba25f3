import { randomUUID } from 'node:crypto';
import type { AnyEvent } from './deliveries.ts';
import type { Body, Rule } from './proxied-calls.ts';
import { callsOf } from './proxied-calls.ts';

const PAGES = 2;
const USUAL_LIMIT = 50;

/** The prefix of the cursors that made-up pages return. */
const prefix = (page: number) => `certification-${page}.`;

/** Puts full pages of other events before the feed's next page. */
export function fullFeedPages(missed: AnyEvent): Rule[] {
  const older = (limit: number): AnyEvent[] =>
    Array.from({ length: limit }, () => ({ ...missed, event_id: randomUUID(), hold_id: randomUUID() }));
  const made = (page: number): Rule => ({
    isFor: (call) => callsOf('listEvents')(call) && pageOf(call.query.get('after')) === page,
    fault: {
      kind: 'made',
      body: ({ query }) => {
        const data = older(Number(query.get('limit') ?? USUAL_LIMIT));
        const from = originOf(query.get('after'));
        return {
          success: true,
          count: data.length,
          data,
          next_cursor: `${prefix(page + 1)}${from}`,
        } satisfies Body;
      },
    },
  });
  // Each made-up page comes once; then the feed is the sandbox's own again.
  return Array.from({ length: PAGES }, (_, page) => ({ ...made(page), times: 1 }));
}

/** Replaces a made-up cursor by the sandbox's own. */
export const OWN_CURSORS: Rule = {
  isFor: (call) => callsOf('listEvents')(call) && pageOf(call.query.get('after')) > 0,
  fault: {
    kind: 'ask',
    query: (asked) => ({ after: originOf(asked.get('after')) || undefined }),
  },
};

function pageOf(after: string | null): number {
  return Number(/^certification-(\d+)\./.exec(after ?? '')?.[1] ?? 0);
}

const originOf = (after: string | null): string => (after ?? '').replace(/^certification-\d+\./, '');
