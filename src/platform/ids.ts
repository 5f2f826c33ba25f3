import { randomFillSync } from 'node:crypto';
import { v7, validate } from 'uuid';

/** Random bytes for 256 ids: drawing them costs as much as drawing for one id. */
const random = Buffer.alloc(256 * 16);
let used = random.length;
let msecs = 0;
let seq = 0;

/** A new UUIDv7: larger than all ids made before in this process, so new documents lie together in the index. */
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

/** A bound greater than every id made before `instant`, by the clock of the host that made the id. */
export function idBound(instant: Date): string {
  const hex = Math.max(0, instant.getTime()).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

/** Whether a text is a UUID of any version, in canonical form. */
export const isUuid: (text: string) => boolean = validate;

/** An id as stored: UUIDs in lower case (RFC 9562, section 4), other texts unchanged. */
export const asStored = (id: string): string => (isUuid(id) ? id.toLowerCase() : id);
