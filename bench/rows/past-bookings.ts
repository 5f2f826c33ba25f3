import type { Reservation } from '../../src/reservations/reservations.model.ts';
import { copyOf } from '../product/copies.ts';
import type { Bench } from './row.ts';

const AT_A_TIME = 5000;
const HOUR_MS = 3_600_000;

/** Adds past bookings `first` up to `end` of the first partner: an hour each, in sequence on each resource. */
export async function addPastBookings(
  { contents, venue, partnerIds }: Bench,
  first: number,
  end: number,
): Promise<void> {
  const { outboxSince: _dispatched, ...booking } = contents.originals.booking;
  const place = { venue, partnerIds: partnerIds.slice(0, 1) };
  const nowMs = Date.now();
  const copy = (number: number): Reservation => {
    const start = new Date(nowMs - (Math.floor(number / venue.resources.length) + 24) * HOUR_MS);
    const bookedAt = new Date(start.getTime() - 20 * HOUR_MS - number);
    const row = copyOf(booking, place, number);
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
  for (let from = first; from < end; from += AT_A_TIME) {
    const count = Math.min(AT_A_TIME, end - from);
    await contents.insert(
      'reservations',
      Array.from({ length: count }, (_, n) => copy(from + n)),
    );
  }
}
