/** Two holds on free slots, and one of them left to expire. */

import { field, fieldText } from '../embedded/api-caller.ts';
import { errorCodeOf } from './api.ts';
import { requireEqual, UnexpectedError } from './expectations.ts';
import { availabilityPath, freeSlots, overlaps, type Slot } from './free-slots.ts';
import type { StepContext } from './step-context.ts';
import type { Venue } from './venue-step.ts';

export type Hold = Slot & {
  holdId: string;
  holdExpiryAt: string;
  /** To be called once the hold is no longer ACTIVE. */
  isEnded: () => void;
};

/** Holds two slots that availability shows as free; one that another channel takes first is skipped. */
export async function placeTwoHolds(context: StepContext, venue: Venue): Promise<readonly [Hold, Hold]> {
  const { transcript } = context;
  let first: Hold | undefined;
  for await (const slot of freeSlots(context, venue)) {
    if (first !== undefined && overlaps(first, slot)) continue;
    const hold = await placeHold(context, slot);
    if (hold === undefined) transcript.note('Another channel was first; trying the next free slot.');
    else if (first === undefined) first = hold;
    else {
      await requireAvailability(context, venue, [first, hold], 'held');
      transcript.passed('two slots are reserved; availability shows both as held');
      return [first, hold];
    }
  }
  throw new UnexpectedError('free slots in the next 80 days', 'two', first === undefined ? 'none' : 'one');
}

async function placeHold({ partner, cleanup }: StepContext, slot: Slot): Promise<Hold | undefined> {
  const reply = await partner.call('POST', '/api/v1/partner/holds', {
    body: { slot_id: slot.slotId },
    expect: [201, 409],
    show: ['hold_id', 'status', 'price_rupees', 'hold_expiry_at'],
  });
  if (reply.status === 409) {
    requireEqual('why the hold is rejected', errorCodeOf(reply), 'SLOT_NOT_AVAILABLE');
    return undefined;
  }
  const holdId = reply.text('hold_id');
  const isEnded = cleanup.add(() => partner.ask('POST', `/api/v1/partner/holds/${holdId}/cancel`));
  requireEqual('status of a new hold', reply.text('status'), 'ACTIVE');
  return { ...slot, holdId, holdExpiryAt: reply.text('hold_expiry_at'), isEnded };
}

/** Lets a hold reach its end without a confirm; a late confirm is then rejected, and the slot is free. */
export async function letExpire(context: StepContext, venue: Venue, hold: Hold): Promise<void> {
  const { partner, transcript } = context;
  transcript.note(`It would expire by itself at ${hold.holdExpiryAt}; the sandbox makes it expire now:`);
  const expired = await partner.call('POST', `/api/v1/sandbox/holds/${hold.holdId}/expire`, {
    show: ['hold_id', 'status', 'hold_expiry_at'],
  });
  hold.isEnded();
  requireEqual('status of the expired hold', expired.text('status'), 'EXPIRED');
  await partner.call('POST', '/api/v1/bookings/confirm', {
    body: {
      hold_id: hold.holdId,
      payment_reference: 'pay_demo_2',
      customer_name: 'Asha Rao',
      customer_phone: '+919876543210',
      idempotency_key: `late-${hold.holdId}`,
    },
    expect: [409],
    code: 'HOLD_EXPIRED',
  });
  await requireAvailability(context, venue, [hold], 'free');
  transcript.passed('expired: it can no longer be confirmed, and its slot is free again');
}

/** Availability must show the slots as `free`, or as not available for the given reason. */
export async function requireAvailability(
  { partner, transcript }: StepContext,
  venue: Venue,
  slots: readonly Slot[],
  expected: 'free' | 'held' | 'booked',
): Promise<void> {
  for (const date of new Set(slots.map((slot) => slot.date))) {
    const listed = (await partner.call('GET', availabilityPath(venue, date))).list('slots');
    for (const { slotId } of slots.filter((slot) => slot.date === date)) {
      const found = listed.find((one) => field(one, 'slot_id') === slotId);
      const came = field(found, 'is_available') === true ? 'free' : fieldText(found, 'unavailable_reason');
      transcript.row(`← ${slotId}: ${came}`);
      requireEqual(`availability of ${slotId}`, came, expected);
    }
  }
}
