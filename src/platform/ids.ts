import { v7, validate } from 'uuid';

/** A new UUIDv7: time-ordered, so that documents made together lie together in the primary index. */
export function newId(): string {
  return v7();
}

/** Whether `text` is a UUID in canonical form, of any version. */
export function isUuid(text: string): boolean {
  return validate(text);
}

/** The built-in partner to which walk-ins and every change by an operator belong. */
export const PLATFORM_PARTNER_ID = '00000000-0000-7000-8000-000000000000';
