import type { PartnerActor } from '../reservations/actor-types.ts';
import { listBookingRows } from '../reservations/booking-list.store.ts';
import { listHoldRows } from '../reservations/hold-reads.store.ts';
import { moveReservation, type ReservationDeps } from '../reservations/reservations.service.ts';
import { deactivateSubscription } from '../webhooks/deliveries/deactivate-subscription.service.ts';
import { deleteSubscription, listSubscriptions } from '../webhooks/subscriptions/subscriptions.service.ts';

const PAGE = 20;
const REASON = 'Sandbox reset';

/**
 * Ends the partner's subscriptions, releases its ACTIVE holds and cancels its BOOKED bookings, with their events for
 * other partners; returns how many of each. What the partner does meanwhile may stay. Safe to repeat.
 */
export async function resetSandbox(
  deps: ReservationDeps,
  actor: PartnerActor,
): Promise<{ subscriptions: number; holds: number; bookings: number }> {
  const { partnerId } = actor;
  const subscriptions = await listSubscriptions(deps.db, partnerId);
  await Promise.all(subscriptions.map(({ _id }) => deactivateSubscription(deps, _id)));
  for (const { _id } of subscriptions) await deleteSubscription(deps.db, partnerId, _id);
  let [holds, bookings] = [0, 0];
  for (;;) {
    const { rows } = await listHoldRows(deps.db, partnerId, 'ACTIVE', undefined, PAGE);
    if (rows.length === 0) break;
    const ended = await Promise.all(
      rows.map(({ _id }) =>
        moveReservation(deps, 'release', _id, { actor, reason: REASON, set: { releaseReason: REASON } }),
      ),
    );
    holds += ended.filter((hold) => hold !== null).length;
  }
  for (;;) {
    const { rows } = await listBookingRows(deps.db, { partnerId, status: 'BOOKED' }, undefined, PAGE);
    if (rows.length === 0) break;
    const change = { actor, reason: REASON, set: { cancellationReason: REASON } };
    const ended = await Promise.all(rows.map(({ _id }) => moveReservation(deps, 'cancel', _id, change)));
    bookings += ended.filter((booking) => booking !== null).length;
  }
  return { subscriptions: subscriptions.length, holds, bookings };
}
