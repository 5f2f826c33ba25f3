import * as dispatch from '../../src/dispatch/event-dispatch.service.ts';
import type { Service } from '../support/service.ts';

type Context = Service['context'];

/** As so many dispatchers that were told of the reservation at the same moment. */
export async function dispatchAtOnce(context: Context, holdId: string, count: number): Promise<void> {
  // Each has its own batches, as processes have.
  const dispatchers = Array.from({ length: count }, () => ({ ...context }));
  await Promise.all(dispatchers.map((dispatcher) => dispatch.dispatchEvents(dispatcher, holdId)));
}

/** A page of the sweep that nobody stops. */
export async function dispatchWaiting(
  context: Context,
  page: { graceMs: number; limit: number },
): Promise<void> {
  const stopping = new AbortController().signal;
  await dispatch.dispatchWaiting(context, { ...page, stopping });
}
