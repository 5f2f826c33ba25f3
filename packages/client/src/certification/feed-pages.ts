import { randomUUID } from 'node:crypto';
import type { AnyEvent } from './deliveries.ts';
import type { Body, Rule } from './proxied-calls.ts';
import { callsOf } from './proxied-calls.ts';

const PAGES = 2;
const USUAL_LIMIT = 50;

/** What stands before the integration's cursor while pages are made up. */
const prefix = (page: number) => `certification-${page}.`;

/**
 * Puts full pages of other events of the slot before what the feed has next, as after an outage in which much happened: the real
 * page comes when they have been read.
 */
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
  // Once read to the end, the feed is the sandbox's own again.
  return Array.from({ length: PAGES }, (_, page) => ({ ...made(page), times: 1 }));
}

/** Has the sandbox asked with the cursor that it issued itself, whatever page was made up before. */
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
