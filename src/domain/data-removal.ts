import { randomUUID } from 'node:crypto';

/** How to erase a customer: `replacement` overwrites their data, and each text that `identifiesCustomer` accepts. */
export type Erasure = { replacement: string; identifiesCustomer: (text: string) => boolean };

/** `replacement` if the text identifies the customer, else the text. */
export function redactText(text: string, { replacement, identifiesCustomer }: Erasure): string {
  return identifiesCustomer(text) ? replacement : text;
}

/** A unique replacement if the key identifies the customer (keys must stay unique), else the key. */
export function redactKey(key: string, { replacement, identifiesCustomer }: Erasure): string {
  return identifiesCustomer(key) ? `${replacement} ${randomUUID()}` : key;
}

/** How many upcoming bookings or purchases a customer has. `until`: when the last one ends; null if there are none. */
export type Upcoming = { count: number; until: Date | null };

/** Which rows of a collection are old enough to delete. Components state rules; `operations/retention` applies them. */
export type RetentionRule = {
  collection: string;
  /** The field by which the index `hint` orders the rows. */
  field: string;
  hint: string;
  /** The field with the instant by which rows are archived and restored. */
  instant: string;
  /** Selects the part of the index to read. Contains the condition of a partial index. */
  isInRange: (before: Date) => Record<string, unknown>;
  /** Selects the rows that may be deleted, unless other collections still need them. */
  isDeletable: (before: Date) => Record<string, unknown>;
};
