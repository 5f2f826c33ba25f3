import { randomUUID } from 'node:crypto';

/** `replacement` overwrites the customer's data, and texts that `identifiesCustomer` finds. */
export type Erasure = { replacement: string; identifiesCustomer: (text: string) => boolean };

/** The text, or the replacement if it identifies the customer. */
export function redactText(text: string, { replacement, identifiesCustomer }: Erasure): string {
  return identifiesCustomer(text) ? replacement : text;
}

/** The idempotency key, or a unique replacement if it identifies the customer: keys must stay unique. */
export function redactKey(key: string, { replacement, identifiesCustomer }: Erasure): string {
  return identifiesCustomer(key) ? `${replacement} ${randomUUID()}` : key;
}

/** A customer's upcoming bookings or purchases, and when the last of them ends; null if there are none. */
export type Upcoming = { count: number; until: Date | null };
