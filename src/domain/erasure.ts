import { randomUUID } from 'node:crypto';

/** `replacement` overwrites the customer's data and texts that `identifiesCustomer` accepts. */
export type Erasure = { replacement: string; identifiesCustomer: (text: string) => boolean };

/** `replacement` if the text identifies the customer, else the text. */
export function redactText(text: string, { replacement, identifiesCustomer }: Erasure): string {
  return identifiesCustomer(text) ? replacement : text;
}

/** A unique replacement if the key identifies the customer (keys must stay unique), else the key. */
export function redactKey(key: string, { replacement, identifiesCustomer }: Erasure): string {
  return identifiesCustomer(key) ? `${replacement} ${randomUUID()}` : key;
}

/** A customer's upcoming bookings or purchases, and when the last of them ends; null if there are none. */
export type Upcoming = { count: number; until: Date | null };
