import { v7, validate } from 'uuid';

/** A new UUIDv7: time-ordered, so that documents made together lie together in the primary index. */
export function newId(): string {
  return v7();
}

/** Whether `text` is a UUID in canonical form, of any version. */
export function isUuid(text: string): boolean {
  return validate(text);
}
