import { randomUUID } from 'node:crypto';

/** How a customer is erased: what is written over them, and which of the strings that others sent tell who they are. */
export type Erasure = { overwritten: string; isTrace: (text: string) => boolean };

/** A text that somebody sent, overwritten where it tells of the customer. */
export function erasedText(text: string, { overwritten, isTrace }: Erasure): string {
  return isTrace(text) ? overwritten : text;
}

/** The same of an idempotency key, of which no two may be alike: what takes its place is in no call. */
export function erasedKey(key: string, { overwritten, isTrace }: Erasure): string {
  return isTrace(key) ? `${overwritten} ${randomUUID()}` : key;
}

/** How much a customer has to come, and when all of it will be over; null where it is nothing. */
export type ToCome = { count: number; until: Date | null };
