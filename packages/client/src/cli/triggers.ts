import type { PartnerClient } from '../client.ts';
import { PartnerApiError } from '../errors.ts';
import type { ReservationEventType } from './event-types.ts';

export type Step = { call: string; causes: ReservationEventType };

type Context = {
  client: PartnerClient;
  signal: AbortSignal;
  /** Called after each call; an error ends the trigger. */
  note: (step: Step, holdId: string) => void;
};

export type Triggered = { slot_id: string; hold_id: string; booking_id: string | null };

type Trigger = (input: Context & { slotId: string }) => Promise<Triggered>;
type CleanUp = (input: Context & Triggered) => Promise<void>;

const REASON = 'Made by partner trigger';

/** Causes each type of event. After a failure, `giveBack` frees the slot. */
export const TRIGGERS: Readonly<Record<ReservationEventType, Trigger>> = {
  hold_created: place,
  hold_cancelled: async (input) => {
    const placed = await place(input);
    await release({ ...input, ...placed });
    return placed;
  },
  hold_expired: async (input) => {
    const placed = await place(input);
    await input.client.expireHold({ path: { holdId: placed.hold_id } }, { signal: input.signal });
    input.note({ call: 'expireHold', causes: 'hold_expired' }, placed.hold_id);
    return placed;
  },
  booking_created: book,
  booking_cancelled: async (input) => {
    const booked = await book(input);
    await cancel({ ...input, ...booked });
    return booked;
  },
  booking_refunded: async (input) => {
    const booked = await book(input);
    const path = { bookingId: booked.booking_id };
    await input.client.refundBooking({ path, body: { reason: REASON } }, { signal: input.signal });
    input.note({ call: 'refundBooking', causes: 'booking_refunded' }, booked.hold_id);
    return booked;
  },
};

/** Frees the slot after these triggers; the others free it themselves. */
export const CLEAN_UPS: Readonly<Partial<Record<ReservationEventType, CleanUp>>> = {
  hold_created: release,
  booking_created: cancel,
};

async function place({ client, slotId, signal, note }: Parameters<Trigger>[0]): Promise<Triggered> {
  const { hold_id } = await client.placeHold({ body: { slot_id: slotId } }, { signal });
  note({ call: 'placeHold', causes: 'hold_created' }, hold_id);
  return { slot_id: slotId, hold_id, booking_id: null };
}

async function release({ client, hold_id: holdId, signal, note }: Parameters<CleanUp>[0]): Promise<void> {
  await client.releaseHold({ path: { holdId }, body: { reason: REASON } }, { signal });
  note({ call: 'releaseHold', causes: 'hold_cancelled' }, holdId);
}

async function book(input: Parameters<Trigger>[0]): Promise<Triggered & { booking_id: string }> {
  const placed = await place(input);
  const customer = { customer_name: 'Test Customer', customer_phone: '+919876543210' };
  const body = { hold_id: placed.hold_id, payment_reference: 'partner-trigger', ...customer };
  const { booking_id } = await input.client.confirmBooking({ body }, { signal: input.signal });
  input.note({ call: 'confirmBooking', causes: 'booking_created' }, placed.hold_id);
  return { ...placed, booking_id };
}

async function cancel(input: Context & Triggered): Promise<void> {
  const { client, booking_id: id, hold_id: holdId, signal, note } = input;
  if (id === null) return;
  await client.cancelBooking({ path: { bookingId: id }, body: { reason: REASON } }, { signal });
  note({ call: 'cancelBooking', causes: 'booking_cancelled' }, holdId);
}

/** Releases a hold or cancels its booking; resolves to `hold <id>` or `booking <id>`, or to null if both had ended. */
export async function giveBack(client: PartnerClient, holdId: string, signal: AbortSignal): Promise<string | null> {
  const body = { reason: REASON };
  try {
    await client.releaseHold({ path: { holdId }, body }, { signal });
    return `hold ${holdId}`;
  } catch (failure) {
    if (!isTooLate(failure)) throw failure;
    const { bookingId } = failure;
    if (bookingId === undefined) return null;
    return client.cancelBooking({ path: { bookingId }, body }, { signal }).then(
      () => `booking ${bookingId}`,
      (refusal: unknown) => {
        if (!isTooLate(refusal)) throw refusal;
        return null;
      },
    );
  }
}

const isTooLate = (failure: unknown): failure is PartnerApiError =>
  failure instanceof PartnerApiError && failure.status === 409;
