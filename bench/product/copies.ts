import { newId } from '../../src/platform/ids.ts';
import { cellsOf } from '../../src/reservations/cells.rules.ts';
import type { Reservation } from '../../src/reservations/reservations.model.ts';
import type { Venue } from './slots.ts';
import { slotAt } from './slots.ts';

/**
 * A reservation as the product stored it after each transition, with its outbox events. The limits write copies, and
 * rows load copies.
 */
export type Originals = Record<'hold' | 'booking' | 'cancelled' | 'released', Reservation>;

/** The venue and the partners that copies are for. */
export type CopyTarget = { venue: Venue; partnerIds: readonly string[] };

const COPY_TTL_MS = 1_800_000;

/** A copy on slot n for partner n (numbers wrap), with its own ids, keys and ordinal. */
export function copyOf(original: Reservation, { venue, partnerIds }: CopyTarget, n: number): Reservation {
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
    // The original, placed when the benchmark began, may have expired.
    ...(original.status === 'ACTIVE' ? { holdExpiresAt: new Date(Date.now() + COPY_TTL_MS) } : {}),
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

/** The fields that differ between `before` and `after`, with the values of `copy`. */
export function changesBetween(before: Reservation, after: Reservation, copy: Reservation): Partial<Reservation> {
  const names = (Object.keys(after) as (keyof Reservation)[]).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  return Object.fromEntries(names.map((name) => [name, copy[name]]));
}
