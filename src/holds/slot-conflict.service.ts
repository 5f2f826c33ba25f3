import { findAlternatives } from '../availability/alternatives.service.ts';
import { DomainError } from '../domain/errors.ts';
import type { Claimant } from '../reservations/claim-reads.store.ts';
import type { UnavailableReason } from '../slots/slot.rules.ts';
import { lastDateOnSale, reasonOf, slotView } from '../slots/slot.rules.ts';
import type { SlotDeps, SlotTarget } from '../slots/slots.service.ts';

/** Why a slot cannot be held; `freeAt` where a hold is in the way that would lapse, `holdId` where it is the caller's own. */
export type Conflict = { reason: UnavailableReason; freeAt?: Date; holdId?: string };

/** `freeAt` is when a blocking hold lapses, with several the last of them; where all are the caller's own, that one is named. */
export function conflictWith(claims: readonly Claimant[], partnerId: string): Conflict {
  if (claims.some((claim) => reasonOf(claim) === 'booked')) return { reason: 'booked' };
  const last = claims.toSorted((a, b) => b.holdExpiresAt.getTime() - a.holdExpiresAt.getTime())[0];
  if (last === undefined) return { reason: 'held' };
  const isOwn = claims.every((claim) => claim.partnerId === partnerId);
  return { reason: 'held', freeAt: last.holdExpiresAt, ...(isOwn ? { holdId: last._id } : {}) };
}

/** The error SLOT_NOT_AVAILABLE with its `conflict`: the reason, and up to three free slots nearby. */
export async function slotNotAvailable(
  deps: SlotDeps,
  target: SlotTarget,
  conflict: Conflict,
): Promise<DomainError> {
  const alternatives = await findAlternatives(deps, target.rules, target.resource, target.start);
  return new DomainError('SLOT_NOT_AVAILABLE', messageOf(deps, target, conflict), {
    conflict: {
      reason: conflict.reason,
      ...(conflict.freeAt === undefined ? {} : { free_at: conflict.freeAt.toISOString() }),
      ...(conflict.holdId === undefined ? {} : { hold_id: conflict.holdId }),
      alternatives: alternatives.map(slotView),
    },
  });
}

function messageOf({ clock, config }: SlotDeps, { rules }: SlotTarget, { reason, holdId }: Conflict): string {
  if (holdId !== undefined) {
    return 'You hold the slot already (conflict.hold_id). Confirm or extend that hold, or cancel it to place another.';
  }
  if (reason === 'beyond_horizon') {
    const { bookingHorizonDays: days } = config;
    return `The slot cannot be held yet (beyond_horizon): slots are sold that start until ${lastDateOnSale(clock.now(), days, rules.venue.timeZone)} (${days} days from today, by the date at the venue). Wait, or take one of conflict.alternatives.`;
  }
  return `The slot cannot be held (${reason}). Read availability again, or take one of conflict.alternatives.`;
}
