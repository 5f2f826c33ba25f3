import type { DuePosition } from '../platform/backlog.store.ts';
import type { SweptPage } from '../platform/sweep.ts';
import type { PageOfDue } from '../reservations/reservation-backlog.store.ts';
import { findUndispatchedPage } from '../reservations/reservation-backlog.store.ts';
import type { Deliver, DispatchDeps } from './dispatch-events.service.ts';
import { dispatchEvents } from './dispatch-events.service.ts';

/** How many reservations a sweep dispatches together. */
const MAX_BATCH = 200;

/**
 * Dispatches a page of the reservations whose events have waited longer than `graceMs`, but for those that jobs of this process have
 * `inHand`: a page of the sweep.
 */
export async function dispatchWaiting(
  deps: DispatchDeps,
  { stopping, inHand, ...page }: PageOfDue & { stopping: AbortSignal; inHand?: ReadonlySet<string> },
  deliver?: Deliver,
): Promise<SweptPage<DuePosition>> {
  const { ids: found, next } = await findUndispatchedPage(deps.db, page);
  const ids = found.filter((id) => inHand?.has(id) !== true);
  let count = 0;
  for (let from = 0; from < ids.length && !stopping.aborted; from += MAX_BATCH) {
    const batch = ids.slice(from, from + MAX_BATCH);
    try {
      const dispatched = await dispatchEvents(deps, batch, deliver);
      for (const [holdId, err] of dispatched.failures)
        deps.log.error({ hold_id: holdId, err }, 'an event could not be dispatched and waits');
      count += dispatched.count;
      await dispatched.begun;
    } catch (err) {
      deps.log.error({ hold_ids: batch, err }, 'events could not be dispatched and wait');
    }
  }
  return { count, next };
}
