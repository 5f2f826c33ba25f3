import type { PartnerActor } from '../reservations/actor-types.ts';
import { listBookingRows } from '../reservations/booking-list.store.ts';
import { listHoldRows } from '../reservations/hold-reads.store.ts';
import { type ReservationDeps, transitionAll } from '../reservations/reservations.service.ts';
import { deactivateSubscription } from '../webhooks/deliveries/deactivate-subscription.service.ts';
import { deleteSubscription, listSubscriptions } from '../webhooks/subscriptions/subscriptions.service.ts';

const PAGE = 20;
const REASON = 'Sandbox reset';

/**
 * Ends the partner's subscriptions, releases its ACTIVE holds and cancels its BOOKED bookings, with their events for
 * other partners; returns how many of each. Objects that the partner creates meanwhile may stay. Safe to repeat.
 */
export async function resetSandbox(
  deps: ReservationDeps,
  actor: PartnerActor,
): Promise<{ subscriptions: number; holds: number; bookings: number }> {
  const { partnerId } = actor;
  const subscriptions = await listSubscriptions(deps.db, partnerId);
  await Promise.all(subscriptions.map(({ _id }) => deactivateSubscription(deps, _id)));
  for (const { _id } of subscriptions) await deleteSubscription(deps.db, partnerId, _id);
  const someHolds = async () => (await listHoldRows(deps.db, partnerId, 'ACTIVE', undefined, PAGE)).rows;
  const someBookings = async () =>
    (await listBookingRows(deps.db, { partnerId, status: 'BOOKED' }, undefined, PAGE)).rows;
  const change = { actor, reason: REASON };
  const holds = await transitionAll(deps, 'release', someHolds, { ...change, set: { releaseReason: REASON } });
  const bookings = await transitionAll(deps, 'cancel', someBookings, {
    ...change,
    set: { cancellationReason: REASON },
  });
  return { subscriptions: subscriptions.length, holds: holds.length, bookings: bookings.length };
}
