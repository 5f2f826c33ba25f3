import { newId } from '../../src/platform/ids.ts';
import { cellsOf } from '../../src/reservations/cells.rules.ts';
import type { Reservation } from '../../src/reservations/reservations.model.ts';
import type { Venue } from './slots.ts';
import { slotAt } from './slots.ts';

/**
 * Reservations as the product stored them, with their outbox events: one after each of three calls, and a released one.
 * The limits write copies of them, and rows load copies.
 */
export type Originals = Record<'hold' | 'booking' | 'cancelled' | 'released', Reservation>;

/** The slots and partners of copies. */
export type Place = { venue: Venue; partnerIds: readonly string[] };

const ALIVE_MS = 1_800_000;

/** A copy with its own ids, keys and ordinal, on the n-th slot and for the n-th partner in turn. */
export function copyOf(original: Reservation, { venue, partnerIds }: Place, n: number): Reservation {
  const { resourceId, slotId, start, end } = slotAt(venue, n);
  const _id = newId();
  const partnerId = partnerIds[n % partnerIds.length] ?? '';
  const subject = { venueId: venue.id, resourceId, slotId, slotStart: start, slotEnd: end };
  const { holdOrdinal, bookingId, confirmKey, endings } = original;
  const ids = bookingId === undefined ? {} : { bookingId: newId() };
  return {
    ...original,
    ...subject,
    ...ids,
    ...(holdOrdinal === undefined ? {} : { holdOrdinal: Math.floor(n / partnerIds.length) }),
    ...(confirmKey === undefined ? {} : { confirmKey: newId() }),
    ...(endings === undefined ? {} : { endings: endings.map((each) => ({ ...each, key: newId() })) }),
    // Not the original's expiry: it was placed when the benchmark began.
    ...(original.status === 'ACTIVE' ? { holdExpiresAt: new Date(Date.now() + ALIVE_MS) } : {}),
    _id,
    partnerId,
    cells: cellsOf([resourceId], start, end),
    outbox: original.outbox.map((event) => ({
      ...event,
      ...subject,
      eventId: newId(),
      holdId: _id,
      originatorId: partnerId,
      ...(event.bookingId === null ? {} : { bookingId: ids.bookingId ?? null }),
    })),
  };
}

/** The fields that a transition from `before` to `after` changes, with the values of `copy`. */
export function changesBetween(before: Reservation, after: Reservation, copy: Reservation): Partial<Reservation> {
  const names = (Object.keys(after) as (keyof Reservation)[]).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  return Object.fromEntries(names.map((name) => [name, copy[name]]));
}
