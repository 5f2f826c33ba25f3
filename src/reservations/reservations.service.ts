import type { DuePosition } from '../platform/backlog.store.ts';
import { onePer } from '../platform/coalesced.ts';
import { gathered } from '../platform/gathered.ts';
import type { Logger } from '../platform/logger.ts';
import type { Db } from '../platform/mongo.ts';
import { BATCH_SIZES, counter, histogram } from '../platform/process-metrics.ts';
import type { SweptPage } from '../platform/sweep.ts';
import { sweepEach } from '../platform/sweep.ts';
import type { Queues } from '../queues/queues.ts';
import type { Expiry } from './expire-holds.store.ts';
import { expireLapsedHolds } from './expire-holds.store.ts';
import type { PageOfDue } from './reservation-backlog.store.ts';
import { findLapsedHolds } from './reservation-backlog.store.ts';
import type { Reservation } from './reservations.model.ts';
import type { TransitionName } from './reservations.rules.ts';
import type { Change } from './reservations.store.ts';
import { applyTransition } from './reservations.store.ts';

export type { Customer } from './reservations.model.ts';

export type ReservationDeps = { db: Db; queues: Pick<Queues, 'enqueueDispatch'> };

/**
 * Carries out a transition and then enqueues the dispatch of its event, without waiting for Redis (ADR 0003).
 * Null where the reservation is in no state from which the transition is legal.
 */
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

/**
 * Expires those of the holds that have lapsed by the database's clock, each with its one `hold_expired` event. Any caller that meets
 * lapsed holds may call it: of concurrent calls, one expires a hold. Rejects if one of them could not be expired.
 */
export async function expireHolds(deps: ReservationDeps, holdIds: readonly string[]): Promise<void> {
  const expiries = await expireLapsedHolds(deps.db, holdIds);
  for (const [index, expiry] of expiries.entries()) {
    if (expiry instanceof Error) throw expiry;
    if ('eventId' in expiry) void deps.queues.enqueueDispatch(holdIds[index] ?? '', expiry.eventId);
  }
}

/** How many lapsed holds one update expires. */
const MAX_BATCH = 200;

const holdsExpired = counter({
  name: 'holds_expired_total',
  help: 'Holds that this process ended because they had lapsed.',
});
const expiryBatches = histogram({
  name: 'hold_expiry_batch_size',
  help: 'How many holds were looked at together, to be ended.',
  buckets: BATCH_SIZES,
});

/** As the expiry worker has it: it says what it does, a line a batch. */
export type ExpiryDeps = ReservationDeps & { log: Logger };

const expiriesOf = onePer(({ db, log }: ExpiryDeps) =>
  gathered(async (holdIds: readonly string[]) => {
    const beganAt = performance.now();
    const expiries = await expireLapsedHolds(db, holdIds);
    const ended = holdIds.filter((_, index) => 'eventId' in (expiries[index] ?? {}));
    expiryBatches(db).observe(holdIds.length);
    holdsExpired(db).inc(ended.length);
    if (ended.length > 0)
      log.info(
        { holds: ended.length, hold_ids: ended, duration_ms: Math.round(performance.now() - beganAt) },
        'lapsed holds ended',
      );
    return expiries;
  }, MAX_BATCH),
);

/** Expires the hold if it has lapsed; concurrent calls share the update. */
async function expireTogether(deps: ExpiryDeps, holdId: string): Promise<Expiry> {
  const expiry = await expiriesOf(deps)(holdId);
  if ('eventId' in expiry) void deps.queues.enqueueDispatch(holdId, expiry.eventId);
  return expiry;
}

/**
 * The work of a hold's expiry job: expires the hold if it has lapsed. Returns how many milliseconds are left where it has
 * not (a job can come early by a host's clock, or the hold was extended), 0 where there is nothing more to do.
 */
export async function expireHold(deps: ExpiryDeps, holdId: string): Promise<number> {
  const expiry = await expireTogether(deps, holdId);
  return 'leftMs' in expiry ? expiry.leftMs : 0;
}

/**
 * Expires a page of the holds that lapsed more than `graceMs` ago, the first of them or those after `from`: a page of the sweep.
 */
export async function sweepLapsedHolds(
  deps: ExpiryDeps,
  { stopping, ...page }: PageOfDue & { stopping: AbortSignal },
): Promise<SweptPage<DuePosition>> {
  const { ids, next } = await findLapsedHolds(deps.db, page);
  const expire = async (holdId: string) => Number('eventId' in (await expireTogether(deps, holdId)));
  const onError = (err: unknown, holdId: string) =>
    deps.log.error({ hold_id: holdId, err }, 'a lapsed hold could not be expired and waits');
  return { count: await sweepEach(ids, stopping, expire, onError, MAX_BATCH), next };
}
