import { randomUUID } from 'node:crypto';

/** How a customer is erased: `replacement` is written over them, and over the texts of others that identify them. */
export type Erasure = { replacement: string; identifiesCustomer: (text: string) => boolean };

/** A text that somebody sent, replaced where it identifies the customer. */
export function redactText(text: string, { replacement, identifiesCustomer }: Erasure): string {
  return identifiesCustomer(text) ? replacement : text;
}

/** The same of an idempotency key, of which no two may be alike: its replacement is in no call. */
export function redactKey(key: string, { replacement, identifiesCustomer }: Erasure): string {
  return identifiesCustomer(key) ? `${replacement} ${randomUUID()}` : key;
}

/** How many bookings or purchases of a customer are upcoming, and when the last of them is over; null where there is none. */
export type Upcoming = { count: number; until: Date | null };
