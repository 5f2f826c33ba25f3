import { randomUUID } from 'node:crypto';
import { cellsOf, spacesOf } from '../../src/reservations/cells.rules.ts';
import type { Reservation } from '../../src/reservations/reservations.model.ts';
import { integerBetween, pick, type Random } from './random.ts';
import type { Stored } from './rows.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Spreads the copies over some days, so that a page of a listing by date holds some of them, not all. */
const LONGEST_GAP_MS = 60 * MINUTE_MS;
/** More bookings with one `bookedAt` than fit on a page, so that pages end among them. */
const LARGEST_TIE = 300;
const BATCH_SIZE = 1000;

/**
 * Inserts `count` copies of `originals`, each with random ids, new keys, and its own slot in the past. Many have the
 * same `bookedAt`. The copies get `phones` in turn, so that each customer has some.
 */
export async function copyBookings(
  service: Stored,
  originals: readonly Reservation[],
  count: number,
  phones: readonly string[],
  random: Random,
): Promise<void> {
  const nextStart = new Map<string, number>();
  let bookedMs = Date.now() - MINUTE_MS;
  const copies: Reservation[] = [];
  for (let tied = 0; copies.length < count; tied -= 1) {
    if (tied <= 0) {
      bookedMs -= integerBetween(random, 1, LONGEST_GAP_MS);
      tied = random() < 0.5 ? 1 : integerBetween(random, 2, LARGEST_TIE);
    }
    const original = pick(random, originals);
    const { resourceId, slotStart, slotEnd } = original;
    const lengthMs = slotEnd.getTime() - slotStart.getTime();
    const startMs = (nextStart.get(resourceId) ?? slotStart.getTime() - 30 * DAY_MS) - lengthMs;
    nextStart.set(resourceId, startMs);
    const window = { start: new Date(startMs), end: new Date(startMs + lengthMs) };
    copies.push(copyOf(original, window, bookedMs, phones[copies.length % phones.length]));
  }
  for (let from = 0; from < count; from += BATCH_SIZE) {
    const batch = copies.slice(from, from + BATCH_SIZE);
    await service.context.db.collection('reservations').insertMany(batch as never[], { ordered: false });
  }
}

function copyOf(
  original: Reservation,
  { start, end }: { start: Date; end: Date },
  bookedMs: number,
  phoneE164: string | undefined,
): Reservation {
  const { holdKey: _unique, outboxSince: _dispatched, customer, endings = [], ...row } = original;
  if (customer === undefined || phoneE164 === undefined) throw new Error('A booking has a customer');
  return {
    ...row,
    _id: randomUUID(),
    bookingId: randomUUID(),
    confirmKey: randomUUID(),
    endings: endings.map((ending) => ({ ...ending, key: randomUUID() })),
    slotStart: start,
    slotEnd: end,
    cells: cellsOf(spacesOf(row.resourceId, []), start, end),
    placedAt: new Date(bookedMs - MINUTE_MS),
    bookedAt: new Date(bookedMs),
    holdExpiresAt: new Date(bookedMs + 9 * MINUTE_MS),
    customer: { ...customer, phone: phoneE164, phoneE164 },
    outbox: [],
  };
}
