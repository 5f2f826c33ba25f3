import { freeSlotView, lastDateOnSale } from '../../catalog/slots/slot.rules.ts';
import { type SlotTarget, slotNotFound, type WantedSlot } from '../../catalog/slots/slot-targets.service.ts';
import type { SlotDeps, SlotForSale } from '../../catalog/slots/slots.service.ts';
import { DomainError } from '../../domain/errors.ts';
import { toRupees } from '../../domain/money.ts';
import type { Db } from '../../platform/mongo.ts';
import { counter } from '../../platform/process-metrics.ts';
import type { ReservationDeps } from '../../reservations/reservations.service.ts';
import type { NewReservation } from '../../reservations/reservations.store.ts';
import { findAlternatives } from '../availability/alternatives.service.ts';
import { type Conflict, findConflict, type HoldLimitDeps, isStillClaimed } from './hold-conflicts.service.ts';

/** For each slot that was tried: why it is not free. */
export type Taken = ReadonlyMap<SlotForSale, Conflict>;
type Wanted = WantedSlot & { expectedPaise?: number };

/** Why none of the slots is held; undefined if one has become free. */
export async function refusalOf(
  deps: SlotDeps & ReservationDeps,
  input: Wanted,
  slots: readonly SlotForSale[],
  taken: Taken,
): Promise<DomainError | undefined> {
  for (const { holdId } of taken.values()) {
    // A former primary can show a claim that was never replicated, such as an earlier try of this call.
    if (holdId !== undefined && !(await isStillClaimed(deps.db, holdId))) return undefined;
  }
  const refused: RefusedSlot[] = [];
  for (const slot of slots) {
    const { offer } = slot;
    if (offer === null) {
      refused.push({ slot, conflict: null });
      continue;
    }
    const { draft, unsellable } = offer;
    const conflict =
      unsellable !== null ? { reason: unsellable } : (taken.get(slot) ?? (await findConflict(deps, draft)));
    // A free slot that was not tried has an unexpected price.
    if (conflict === undefined)
      return input.expectedPaise === undefined ? undefined : priceChanged(draft, input.expectedPaise);
    refused.push({ slot, conflict });
  }
  const onSchedule = refused.filter(({ conflict }) => conflict !== null);
  const [first] = onSchedule;
  if (first === undefined || first.conflict === null) return slotNotFound();
  if (input.sportCategory !== undefined) return noneFree(deps, onSchedule);
  if (input.resourceIds !== undefined) return noneFree(deps, refused);
  return slotNotAvailable(deps, first.slot, first.conflict);
}

async function slotNotAvailable(deps: SlotDeps, target: SlotTarget, conflict: Conflict): Promise<DomainError> {
  return new DomainError('SLOT_NOT_AVAILABLE', messageOf(deps, target, conflict), {
    conflict: {
      reason: conflict.reason,
      ...(conflict.freeAt === undefined ? {} : { free_at: conflict.freeAt.toISOString() }),
      ...(conflict.holdId === undefined ? {} : { hold_id: conflict.holdId }),
      alternatives: (await findAlternatives(deps, target)).map(freeSlotView),
    },
  });
}

/** A slot that the call could not hold; `conflict` is null if the schedule has no such slot. */
type RefusedSlot = { slot: SlotTarget; conflict: Conflict | null };

/** @param refused the slots in the caller's order of preference; not empty */
async function noneFree(deps: SlotDeps, refused: readonly RefusedSlot[]): Promise<DomainError> {
  const [first] = refused;
  const alternatives = first === undefined ? [] : await findAlternatives(deps, first.slot);
  return new DomainError(
    'SLOT_NOT_AVAILABLE',
    'None of the slots is free; conflict.resources says why. Take one of conflict.alternatives, or another time.',
    {
      conflict: {
        reason: 'none_free',
        resources: refused.map(({ slot: { resource, slotId }, conflict }) => ({
          resource_id: resource._id,
          slot_id: conflict === null ? null : slotId,
          reason: conflict?.reason ?? 'no_slot',
          ...(conflict?.freeAt === undefined ? {} : { free_at: conflict.freeAt.toISOString() }),
        })),
        alternatives: alternatives.map(freeSlotView),
      },
    },
  );
}

/** The slot is free, but not at the price that the caller has seen. */
function priceChanged({ slotId, pricePaise }: NewReservation, expectedPaise: number): DomainError {
  const [price, expected] = [toRupees(pricePaise), toRupees(expectedPaise)];
  return new DomainError(
    'PRICE_CHANGED',
    `The slot costs ${price} rupees, not ${expected}, so nothing is held. Ask the customer, then send expected_price_rupees: ${price}.`,
    {
      conflict: {
        reason: 'price_changed',
        price_rupees: price,
        expected_price_rupees: expected,
        slot_id: slotId,
        alternatives: [],
      },
    },
  );
}

function messageOf({ clock, config }: SlotDeps, { rules }: SlotTarget, { reason, holdId }: Conflict): string {
  if (holdId !== undefined) {
    return 'You already hold the slot (conflict.hold_id). Confirm or extend that hold, or cancel it to place another.';
  }
  if (reason === 'beyond_horizon') {
    const { bookingHorizonDays: days } = config;
    return `The slot cannot be held yet (beyond_horizon): the last date on sale at the venue is ${lastDateOnSale(clock.now(), days, rules.venue.timeZone)}, ${days} days from today. Wait, or take one of conflict.alternatives.`;
  }
  return `The slot cannot be held (${reason}). Read availability again, or take one of conflict.alternatives.`;
}

export function holdLimitReached({ config }: HoldLimitDeps): DomainError {
  return new DomainError(
    'HOLD_LIMIT_REACHED',
    `You have ${config.maxActiveHolds} ACTIVE holds, which is the maximum. Confirm or cancel some first.`,
  );
}

const holdsRefused = counter({
  name: 'holds_refused_total',
  help: 'Rejected holds, by error code and, if the slot was not available, by reason.',
  labelNames: ['code', 'reason'],
});

export function countRefusal({ db }: { db: Db }, err: unknown): void {
  if (!(err instanceof DomainError)) return;
  const reason = err.extras.conflict?.['reason'];
  holdsRefused(db).inc({ code: err.code, reason: typeof reason === 'string' ? reason : '' });
}
