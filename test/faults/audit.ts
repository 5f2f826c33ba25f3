import type { EventRow } from '../../src/events/events.model.ts';
import type { Reservation } from '../../src/reservations/reservations.model.ts';
import type { ReservationStatus } from '../../src/reservations/reservations.rules.ts';
import type { DeliveryRow } from '../../src/webhooks/deliveries.model.ts';
import { eventually } from '../support/eventually.ts';
import type { Received } from '../support/receiver.ts';
import type { Stored } from '../support/rows.ts';
import { rowsOf } from '../support/rows.ts';

/** The events that lead to each state, written from the contract's table and not taken from the service's. */
const HISTORIES: Record<ReservationStatus, readonly string[]> = {
  ACTIVE: ['hold_created'],
  RELEASED: ['hold_created,hold_cancelled'],
  DISPLACED: ['hold_created,hold_cancelled'],
  EXPIRED: ['hold_created,hold_expired'],
  BOOKED: ['hold_created,booking_created', 'booking_created'],
  CANCELLED: ['hold_created,booking_created,booking_cancelled', 'booking_created,booking_cancelled'],
  REFUNDED: [
    'hold_created,booking_created,booking_refunded',
    'hold_created,booking_created,booking_cancelled,booking_refunded',
    'booking_created,booking_refunded',
    'booking_created,booking_cancelled,booking_refunded',
  ],
};

/** What is wrong with the history of one reservation: `events` are those of the log, in any order. Undefined where nothing is. */
export function faultOfHistory(row: Reservation, events: readonly Pick<EventRow, '_id' | 'type'>[]) {
  const typeOf = new Map(events.map(({ _id, type }) => [_id, type]));
  for (const { eventId, type } of row.outbox) typeOf.set(eventId, type);
  // Ids of events are made when they happen, and order by that.
  const history = [...typeOf].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, type]) => type);
  const isClaiming = row.status === 'ACTIVE' || row.status === 'BOOKED';
  if (row.claimed !== isClaiming) return `${row._id} is ${row.status} and claimed: ${row.claimed}`;
  if (HISTORIES[row.status].includes(history.join())) return undefined;
  return `${row._id} is ${row.status} after ${history.join(', ')}`;
}

/** Whether two reservations want the same ground at overlapping times; `groundsOf` names what a resource covers. */
export type GroundsOf = (resourceId: string) => readonly string[];
export function areRivals(
  one: Pick<Reservation, 'resourceId' | 'slotStart' | 'slotEnd'>,
  other: Pick<Reservation, 'resourceId' | 'slotStart' | 'slotEnd'>,
  groundsOf: GroundsOf,
): boolean {
  if (one.slotStart >= other.slotEnd || other.slotStart >= one.slotEnd) return false;
  return groundsOf(one.resourceId).some((ground) => groundsOf(other.resourceId).includes(ground));
}

/** Two operations of the database that follow one another can read its clock in the other order, by the length of a retry. */
const CLOCK_READ_MS = 1500;

/** Pairs of reservations that had the same ground at the same time, at any time: every double booking there ever was. */
export function doubleBookings(rows: readonly Reservation[], groundsOf: GroundsOf): string[] {
  const byStart = rows.toSorted((a, b) => a.slotStart.getTime() - b.slotStart.getTime());
  return byStart.flatMap((one, index) => {
    const others = byStart.slice(index + 1);
    const end = others.findIndex(({ slotStart }) => slotStart >= one.slotEnd);
    return (end === -1 ? others : others.slice(0, end))
      .filter((other) => areRivals(one, other, groundsOf))
      .filter(
        (other) =>
          claimEnd(one) - placed(other) > CLOCK_READ_MS && claimEnd(other) - placed(one) > CLOCK_READ_MS,
      )
      .map((other) => `${one._id} (${one.status}) and ${other._id} (${other.status}) on ${other.slotId}`);
  });
}

const placed = (row: Reservation): number => row.placedAt.getTime();

function claimEnd(row: Reservation): number {
  if (row.claimed) return Number.POSITIVE_INFINITY;
  const ends = [row.releasedAt, row.expiredAt, row.cancelledAt, row.refundedAt];
  return Math.min(...ends.map((at) => at?.getTime() ?? Number.POSITIVE_INFINITY));
}

/** What a partner was told of a reservation, the last answer counting. */
export type Told = { holdId: string; status: ReservationStatus; bookingId?: string };

/** Reservations of which the database knows less than their partner was told. */
export function lostAcknowledgements(rows: readonly Reservation[], told: readonly Told[]): string[] {
  const byId = new Map(rows.map((row) => [row._id, row]));
  return told.flatMap(({ holdId, status, bookingId }) => {
    const row = byId.get(holdId);
    const isKept = row?.status === status || (status === 'ACTIVE' && row?.status === 'EXPIRED') || undefined;
    if (isKept && row?.bookingId === bookingId) return [];
    return [`${holdId} was ${status} (${bookingId}) and is ${row?.status} (${row?.bookingId})`];
  });
}

export type EventAudit = {
  events: number;
  /** Attempts that came a second time or later, of an event at a subscription. */
  repeats: number;
  faults: string[];
};

/**
 * Waits until nothing is on its way, and holds what the receiver heard against the log: every event of every reservation has one
 * delivery to each of the `subscriptions`, which was heard; and one place in the feed, without gaps.
 */
export async function auditEvents(
  stored: Stored,
  received: readonly Received[],
  subscriptions: number,
): Promise<EventAudit> {
  const isIdle = async () => {
    const [waiting, unsequenced, undelivered] = await Promise.all([
      stored.context.db.collection('reservations').countDocuments({ outboxSince: { $exists: true } }),
      stored.context.db.collection('events').countDocuments({ isUnsequenced: true }),
      stored.context.db.collection('deliveries').countDocuments({ state: { $ne: 'succeeded' } }),
    ]);
    return waiting + unsequenced + undelivered === 0;
  };
  await eventually('everything is delivered', isIdle, 120_000);
  const [events, deliveries] = await Promise.all([rowsOf(stored, 'events'), rowsOf(stored, 'deliveries')]);
  return eventAudit(events, deliveries, received, subscriptions);
}

function eventAudit(
  events: readonly EventRow[],
  deliveries: readonly DeliveryRow[],
  received: readonly Received[],
  subscriptions: number,
): EventAudit {
  const heard = countBy(received.map(({ body }) => String(body['event_id'])));
  const planned = countBy(deliveries.map(({ eventId }) => eventId));
  const logged = new Set(events.map(({ _id }) => _id));
  const places = new Set(events.map(({ sequence }) => sequence));
  const attempts = new Set(received.map(({ body }) => body['delivery_id']));
  return {
    events: events.length,
    repeats: received.length - events.length * subscriptions,
    faults: [
      ...events
        .filter(({ _id }) => planned.get(_id) !== subscriptions)
        .map(({ _id }) => `${_id}: not one delivery each`),
      ...events
        .filter(({ _id }) => (heard.get(_id) ?? 0) < subscriptions)
        .map(({ _id }) => `${_id}: not heard`),
      ...[...heard.keys()]
        .filter((eventId) => !logged.has(eventId))
        .map((id) => `${id}: heard and in no log`),
      ...(places.size === events.length ? [] : ['two events have one place in the feed']),
      ...(events.every(({ sequence = 0 }) => sequence >= 1 && sequence <= events.length)
        ? []
        : ['a gap in the feed']),
      ...(attempts.size === received.length ? [] : ['two attempts with one delivery_id']),
    ],
  };
}

function countBy(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/** Faults of every reservation's history, with the events of the log. */
export async function faultsOfHistories(stored: Stored, rows: readonly Reservation[]): Promise<string[]> {
  const eventsOf = new Map<string, EventRow[]>(rows.map(({ _id }) => [_id, []]));
  for (const event of await rowsOf(stored, 'events')) eventsOf.get(event.holdId)?.push(event);
  return rows
    .map((row) => faultOfHistory(row, eventsOf.get(row._id) ?? []))
    .filter((fault) => fault !== undefined);
}
