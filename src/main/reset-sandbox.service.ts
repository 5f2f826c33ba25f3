import type { PartnerActor } from '../reservations/actor-types.ts';
import { listBookingRows } from '../reservations/booking-list.store.ts';
import { listHoldRows } from '../reservations/hold-reads.store.ts';
import { type ReservationDeps, transitionAll } from '../reservations/reservations.service.ts';
import { deactivateSubscription } from '../webhooks/deliveries/deactivate-subscription.service.ts';
import { deleteSubscription, listSubscriptions } from '../webhooks/subscriptions/subscriptions.service.ts';

const PAGE = 20;
const REASON = 'Sandbox reset';

/**
 * Ends the partner's subscriptions, releases its ACTIVE holds and cancels its BOOKED bookings; returns their numbers.
 * Other partners get events of the freed slots. Objects that the partner creates meanwhile may stay. Safe to repeat.
 */
export async function resetSandbox(
  deps: ReservationDeps,
  actor: PartnerActor,
): Promise<{ subscriptions: number; holds: number; bookings: number }> {
  const { partnerId } = actor;
  const subscriptions = await listSubscriptions(deps.db, partnerId);
  await Promise.all(subscriptions.map(({ _id }) => deactivateSubscription(deps, _id)));
  for (const { _id } of subscriptions) await deleteSubscription(deps.db, partnerId, _id);
  const findHolds = async () => (await listHoldRows(deps.db, partnerId, 'ACTIVE', undefined, PAGE)).rows;
  const findBookings = async () =>
    (await listBookingRows(deps.db, { partnerId, status: 'BOOKED' }, undefined, PAGE)).rows;
  const change = { actor, reason: REASON };
  const holds = await transitionAll(deps, 'release', findHolds, { ...change, set: { releaseReason: REASON } });
  const bookings = await transitionAll(deps, 'cancel', findBookings, {
    ...change,
    set: { cancellationReason: REASON },
  });
  return { subscriptions: subscriptions.length, holds: holds.length, bookings: bookings.length };
}
