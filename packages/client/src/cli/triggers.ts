import type { PartnerClient } from '../client.ts';
import type { EventType } from './event-types.ts';

/** A call that was made, and the event that it causes. */
export type Step = { call: string; causes: EventType };

type Sandbox = { client: PartnerClient; signal: AbortSignal; note: (step: Step) => void };

/** What an event is of. */
export type Triggered = { slot_id: string; hold_id: string; booking_id: string | null };

type Trigger = (given: Sandbox & { slotId: string }) => Promise<Triggered>;
type CleanUp = (given: Sandbox & Triggered) => Promise<void>;

const REASON = 'Made by partner trigger';

/** Makes each type of event happen. A call that fails in between leaves no hold behind. */
export const TRIGGERS: Readonly<Record<EventType, Trigger>> = {
  hold_created: place,
  hold_cancelled: async (given) => {
    const placed = await place(given);
    await release({ ...given, ...placed });
    return placed;
  },
  hold_expired: async (given) => {
    const placed = await place(given);
    await given.client.expireHold({ path: { holdId: placed.hold_id } }, { signal: given.signal });
    given.note({ call: 'expireHold', causes: 'hold_expired' });
    return placed;
  },
  booking_created: book,
  booking_cancelled: async (given) => {
    const booked = await book(given);
    await cancel({ ...given, ...booked });
    return booked;
  },
  booking_refunded: async (given) => {
    const booked = await book(given);
    const path = { bookingId: booked.booking_id };
    await given.client.refundBooking({ path, body: { reason: REASON } }, { signal: given.signal });
    given.note({ call: 'refundBooking', causes: 'booking_refunded' });
    return booked;
  },
};

/** What frees the slot again; the others have freed it. */
export const CLEAN_UPS: Readonly<Partial<Record<EventType, CleanUp>>> = {
  hold_created: release,
  booking_created: cancel,
};

async function place({ client, slotId, signal, note }: Parameters<Trigger>[0]): Promise<Triggered> {
  const { hold_id } = await client.placeHold({ body: { slot_id: slotId } }, { signal });
  note({ call: 'placeHold', causes: 'hold_created' });
  return { slot_id: slotId, hold_id, booking_id: null };
}

async function release({ client, hold_id: holdId, signal, note }: Parameters<CleanUp>[0]): Promise<void> {
  await client.releaseHold({ path: { holdId }, body: { reason: REASON } }, { signal });
  note({ call: 'releaseHold', causes: 'hold_cancelled' });
}

/** How long a hold may take to be released that is of no use any more. */
const CLEAN_UP_MS = 5000;

async function book(given: Parameters<Trigger>[0]): Promise<Triggered & { booking_id: string }> {
  const { client, signal, note } = given;
  const placed = await place(given);
  const customer = { customer_name: 'Test Customer', customer_phone: '+919876543210' };
  const body = { hold_id: placed.hold_id, payment_reference: 'partner-trigger', ...customer };
  try {
    const { booking_id } = await client.confirmBooking({ body }, { signal });
    note({ call: 'confirmBooking', causes: 'booking_created' });
    return { ...placed, booking_id };
  } catch (failure) {
    // By a signal of its own: what ended the call may be the given one.
    await release({ ...given, ...placed, signal: AbortSignal.timeout(CLEAN_UP_MS) }).catch(() => undefined);
    throw failure;
  }
}

async function cancel({ client, booking_id: id, signal, note }: Parameters<CleanUp>[0]): Promise<void> {
  if (id === null) return;
  await client.cancelBooking({ path: { bookingId: id }, body: { reason: REASON } }, { signal });
  note({ call: 'cancelBooking', causes: 'booking_cancelled' });
}
