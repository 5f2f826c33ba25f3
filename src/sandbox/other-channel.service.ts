import type { WalkInDeps } from '../bookings/walk-ins.service.ts';
import { cancelPlayedWalkIn, placeWalkIn } from '../bookings/walk-ins.service.ts';
import type { PartnerCaller } from '../partners/partners.service.ts';
import { actorOf } from '../reservations/actor-types.ts';
import { resolveSlotTarget } from '../slots/slots.service.ts';

/**
 * Lets the venue's own channel sell a slot of a venue that the partner may operate, so that its developer sees what then
 * happens to availability, holds and confirms; of the holds in the way it takes only the partner's own. Returns the
 * booking's id.
 * @throws DomainError SLOT_NOT_FOUND, SLOT_NOT_AVAILABLE
 */
export async function sellByOtherChannel(
  deps: WalkInDeps,
  caller: PartnerCaller,
  slotId: string,
  overrideHolds: boolean,
): Promise<string | undefined> {
  const { partnerId } = caller;
  await resolveSlotTarget(deps, partnerId, { slotId });
  const nobody = { customerName: null, customerPhone: null };
  const walkIn = { slotId, ...nobody, overrideHolds, playedFor: partnerId, actor: actorOf(caller) };
  return (await placeWalkIn(deps, walkIn)).booking.bookingId;
}

/**
 * Gives the slot back that the venue's own channel sold for this partner. Returns the booking's id.
 * @throws DomainError SLOT_NOT_FOUND; BOOKING_NOT_FOUND where it did not.
 */
export async function releaseByOtherChannel(
  deps: WalkInDeps,
  caller: PartnerCaller,
  slotId: string,
): Promise<string | undefined> {
  await resolveSlotTarget(deps, caller.partnerId, { slotId });
  return (await cancelPlayedWalkIn(deps, slotId, caller.partnerId, actorOf(caller))).bookingId;
}
