import type { DuePosition } from '../platform/backlog.store.ts';
import type { Logger } from '../platform/logger.ts';
import type { Db } from '../platform/mongo.ts';
import { BATCH_SIZES, counter, histogram } from '../platform/process-metrics.ts';
import { type SweptPage, sweepBatches } from '../platform/sweep.ts';
import type { Queues } from '../queues/queues.ts';
import { expireLapsedHolds } from './expire-holds.store.ts';
import { findLapsedHolds, type PageOfDue } from './hold-reads.store.ts';
import type { Reservation } from './reservations.model.ts';
import type { TransitionName } from './reservations.rules.ts';
import { applyTransition, type Change } from './reservations.store.ts';

export type { Customer } from './reservations.model.ts';

export type ReservationDeps = { db: Db; queues: Pick<Queues, 'enqueueDispatch'> };

/** Carries out a transition and enqueues its event without waiting for Redis (ADR 0009). Null if it is not legal. */
export async function moveReservation(
  deps: ReservationDeps,
  name: TransitionName,
  reservationId: string,
  change: Change,
): Promise<Reservation | null> {
  const written = await applyTransition(deps.db, name, reservationId, change);
  if (written === null) return null;
  void deps.queues.enqueueDispatch(reservationId, written.eventId);
  return written.reservation;
}

/** The holds that expired, how long the live ones have left, and why others could not be expired. */
type Expired = { endedIds: string[]; leftMs: number[]; failures: ReadonlyMap<string, Error> };

/** Expires the holds that have lapsed by the database's clock, each with its one `hold_expired` event. */
async function expireLapsed(deps: ReservationDeps, holdIds: readonly string[]): Promise<Expired> {
  const expiries = await expireLapsedHolds(deps.db, holdIds);
  const endedIds: string[] = [];
  const leftMs: number[] = [];
  const failures = new Map<string, Error>();
  for (const [index, expiry] of expiries.entries()) {
    const holdId = holdIds[index] ?? '';
    if (expiry instanceof Error) failures.set(holdId, expiry);
    else if ('leftMs' in expiry) leftMs.push(expiry.leftMs);
    else {
      endedIds.push(holdId);
      void deps.queues.enqueueDispatch(holdId, expiry.eventId);
    }
  }
  return { endedIds, leftMs: leftMs.filter((ms) => ms > 0), failures };
}

/** Expires lapsed holds; of concurrent calls, one expires a hold. Rejects if one cannot be expired. */
export async function expireHolds(deps: ReservationDeps, holdIds: readonly string[]): Promise<void> {
  const { failures } = await expireLapsed(deps, holdIds);
  for (const err of failures.values()) throw err;
}

const holdsExpired = counter({
  name: 'holds_expired_total',
  help: 'Holds that this process ended because they had lapsed.',
});
const expiryBatches = histogram({
  name: 'hold_expiry_batch_size',
  help: 'How many holds were looked at together, to be ended.',
  buckets: BATCH_SIZES,
});

type ExpiryDeps = ReservationDeps & { log: Logger };

/** The work of an expiry job, which may come early by a host's clock or for an extended hold. */
export async function expireDueHolds(deps: ExpiryDeps, holdIds: readonly string[]): Promise<Expired> {
  const beganAt = performance.now();
  const expired = await expireLapsed(deps, holdIds);
  const { endedIds } = expired;
  expiryBatches(deps.db).observe(holdIds.length);
  holdsExpired(deps.db).inc(endedIds.length);
  if (endedIds.length > 0)
    deps.log.info(
      { holds: endedIds.length, hold_ids: endedIds, duration_ms: Math.round(performance.now() - beganAt) },
      'holds expired',
    );
  return expired;
}

export async function sweepLapsedHolds(
  deps: ExpiryDeps,
  { stopping, ...page }: PageOfDue & { stopping: AbortSignal },
): Promise<SweptPage<DuePosition>> {
  const { ids, next } = await findLapsedHolds(deps.db, page);
  const expire = async (batch: readonly string[]) => {
    const { endedIds, failures } = await expireDueHolds(deps, batch);
    for (const [holdId, err] of failures)
      deps.log.error({ hold_id: holdId, err }, 'a hold could not be expired; the sweep retries it');
    return endedIds.length;
  };
  const onError = (err: unknown, batch: readonly string[]) =>
    deps.log.error({ hold_ids: batch, err }, 'holds could not be expired; the sweep retries them');
  return { count: await sweepBatches(ids, stopping, expire, onError), next };
}
