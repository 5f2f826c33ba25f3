import {
  dispatchEvents,
  dispatchWaiting as dispatchPage,
} from '../../src/webhooks/deliveries/dispatch-events.service.ts';
import type { Service } from '../support/service.ts';

type Context = Service['context'];

/** As so many workers that were told of the reservation at the same moment. */
export async function dispatchAtOnce(context: Context, holdId: string, count: number): Promise<void> {
  const dispatched = Array.from({ length: count }, () => dispatchEvents(context, [holdId]));
  for (const { failures } of await Promise.all(dispatched)) for (const err of failures.values()) throw err;
}

/** A page of the sweep that nobody stops; jobs have `inHand`. */
export async function dispatchWaiting(
  context: Context,
  { inHand = [], ...page }: { graceMs: number; limit: number; inHand?: readonly string[] },
): Promise<void> {
  const stopping = new AbortController().signal;
  await dispatchPage(context, { ...page, inHand: new Set(inHand), stopping });
}
