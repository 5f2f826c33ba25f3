import type { Reservation } from '../../src/reservations/reservations.model.ts';
import { copyOf } from '../product/copies.ts';
import type { Bench } from './row.ts';

const BATCH_SIZE = 5000;
const HOUR_MS = 3_600_000;

/** Adds the first partner's past bookings `startNumber` to `endNumber - 1`. Each resource has one booking per hour. */
export async function addPastBookings(
  { contents, venue, partnerIds }: Bench,
  startNumber: number,
  endNumber: number,
): Promise<void> {
  const { outboxSince: _dispatched, ...booking } = contents.originals.booking;
  const target = { venue, partnerIds: partnerIds.slice(0, 1) };
  const nowMs = Date.now();
  const copy = (number: number): Reservation => {
    const start = new Date(nowMs - (Math.floor(number / venue.resources.length) + 24) * HOUR_MS);
    const bookedAt = new Date(start.getTime() - 20 * HOUR_MS - number);
    const row = copyOf(booking, target, number);
    return {
      ...row,
      slotStart: start,
      slotEnd: new Date(start.getTime() + HOUR_MS),
      bookedAt,
      placedAt: bookedAt,
      cells: [`${row.resourceId}@past-${number}`],
      outbox: [],
    };
  };
  for (let from = startNumber; from < endNumber; from += BATCH_SIZE) {
    const count = Math.min(BATCH_SIZE, endNumber - from);
    await contents.insert(
      'reservations',
      Array.from({ length: count }, (_, n) => copy(from + n)),
    );
  }
}
