import { randomFillSync } from 'node:crypto';
import { v7, validate } from 'uuid';

/** Drawn for 256 ids at once: to draw for one costs as much. */
const random = Buffer.alloc(256 * 16);
let used = random.length;
let msecs = 0;
let seq = 0;

/** A new UUIDv7: time-ordered, so that documents made together lie together in the primary index; later than all before it here. */
export function newId(): string {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  const drawn = random.subarray(used, used + 16);
  used += drawn.length;
  const now = Date.now();
  if (now > msecs) {
    msecs = now;
    seq = drawn.readUInt32BE(6) >>> 1;
  } else {
    seq = (seq + 1) | 0;
    if (seq === 0) msecs += 1;
  }
  return v7({ random: drawn, msecs, seq });
}

/** What every id that was made before `instant` is smaller than, by the clock of the host that made it. */
export function idBound(instant: Date): string {
  const hex = Math.max(0, instant.getTime()).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

/** Whether `text` is a UUID in canonical form, of any version. */
export function isUuid(text: string): boolean {
  return validate(text);
}

/** An id as it is stored: UUIDs are read in either case and written in lower case (RFC 9562, section 4). Other texts stay. */
export const asStored = (id: string): string => (isUuid(id) ? id.toLowerCase() : id);
