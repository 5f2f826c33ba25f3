import type { Slot } from '../availability/availability.service.ts';
import { toRupees } from '../domain/money.ts';

/** A slot as partners see it. */
export function slotView(slot: Slot): Record<string, unknown> {
  return {
    slot_id: slot.slotId,
    resource_id: slot.resource._id,
    slot_start: slot.start.toISOString(),
    slot_end: slot.end.toISOString(),
    price_rupees: toRupees(slot.pricePaise),
    is_available: slot.unavailableReason === null,
    ...(slot.unavailableReason === null ? {} : { unavailable_reason: slot.unavailableReason }),
  };
}
