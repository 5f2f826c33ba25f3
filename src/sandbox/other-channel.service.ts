import type { WalkInDeps } from '../bookings/walk-ins.service.ts';
import { cancelWalkIn, placeWalkIn } from '../bookings/walk-ins.service.ts';
import { actorOf } from '../events/actor-types.ts';
import { resolveSlotTarget } from '../holds/slot-target.service.ts';
import type { PartnerCaller } from '../partners/partners.service.ts';

/**
 * Lets the venue's own channel sell a slot of a venue that the partner may operate, so that its developer sees what then
 * happens to availability, holds and confirms (decisions §8). Answers the booking's id.
 * @throws DomainError SLOT_NOT_FOUND, SLOT_NOT_AVAILABLE
 */
export async function sellByOtherChannel(
  deps: WalkInDeps,
  caller: PartnerCaller,
  slotId: string,
  overrideHolds: boolean,
): Promise<string | undefined> {
  await resolveSlotTarget(deps, caller.partnerId, { slotId });
  const walkIn = { slotId, customerName: null, customerPhone: null, overrideHolds, actor: actorOf(caller) };
  return (await placeWalkIn(deps, walkIn)).booking.bookingId;
}

/**
 * Gives the slot back that the venue's own channel sold. Answers the booking's id.
 * @throws DomainError SLOT_NOT_FOUND; BOOKING_NOT_FOUND where that channel has not sold it.
 */
export async function releaseByOtherChannel(
  deps: WalkInDeps,
  caller: PartnerCaller,
  slotId: string,
): Promise<string | undefined> {
  await resolveSlotTarget(deps, caller.partnerId, { slotId });
  return (await cancelWalkIn(deps, slotId, actorOf(caller))).bookingId;
}
