import type { DuePosition } from '../../platform/backlog.store.ts';
import type { SweptPage } from '../../platform/sweep.ts';
import { sweepBatches } from '../../platform/sweep.ts';
import type { PageOfDue } from '../../reservations/reservation-backlog.store.ts';
import { findUndispatchedPage } from '../../reservations/reservation-backlog.store.ts';
import type { Deliver, DispatchDeps } from './dispatch-events.service.ts';
import { dispatchEvents } from './dispatch-events.service.ts';

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
  const dispatch = async (batch: readonly string[]) => {
    const { count, failures, begun } = await dispatchEvents(deps, batch, deliver);
    for (const [holdId, err] of failures)
      deps.log.error({ hold_id: holdId, err }, 'an event could not be dispatched; the sweep retries it');
    await begun;
    return count;
  };
  const onError = (err: unknown, batch: readonly string[]) =>
    deps.log.error({ hold_ids: batch, err }, 'events could not be dispatched; the sweep retries them');
  return { count: await sweepBatches(ids, stopping, dispatch, onError), next };
}
