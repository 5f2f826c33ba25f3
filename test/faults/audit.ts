import type { PurchaseRow } from '../../src/booking/packages/packages.model.ts';
import type { EventRow } from '../../src/events/events.model.ts';
import type { Reservation } from '../../src/reservations/reservations.model.ts';
import type { ReservationStatus } from '../../src/reservations/reservations.rules.ts';
import { eventually } from '../support/eventually.ts';
import type { Received } from '../support/receiver.ts';
import { rowsOf, type Stored } from '../support/rows.ts';

/** The events that lead to each state, from the contract's table, not from the service's code. */
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

type LoggedEvent = Pick<EventRow, '_id' | 'type' | 'at' | 'sequence'>;

/**
 * The fault in the history of a reservation; undefined if there is none. The history has the events in feed order, then
 * those without a sequence number by their instants.
 */
export function faultOfHistory(row: Reservation, events: readonly LoggedEvent[]): string | undefined {
  const loggedIds = new Set(events.map(({ _id }) => _id));
  const undispatched = row.outbox
    .filter(({ eventId }) => !loggedIds.has(eventId))
    .map(({ eventId, type, at }): LoggedEvent => ({ _id: eventId, type, at }));
  const history = [...events, ...undispatched].toSorted(inFeedOrder).map(({ type }) => type);
  const isClaiming = row.status === 'ACTIVE' || row.status === 'BOOKED';
  if (row.claimed !== isClaiming) return `${row._id} is ${row.status} and claimed: ${row.claimed}`;
  if (HISTORIES[row.status].includes(history.join())) return undefined;
  return `${row._id} is ${row.status} after ${history.join(', ')}`;
}

function inFeedOrder(one: LoggedEvent, other: LoggedEvent): number {
  const { sequence = Number.MAX_SAFE_INTEGER } = one;
  const { sequence: otherSequence = Number.MAX_SAFE_INTEGER } = other;
  return sequence - otherSequence || one.at.getTime() - other.at.getTime();
}

/** The spaces that a resource occupies. Two resources that share one cannot both be sold at the same time. */
export type SpacesOf = (resourceId: string) => readonly string[];

/** Whether two reservations want a common space at overlapping times. */
export function areRivals(
  one: Pick<Reservation, 'resourceId' | 'slotStart' | 'slotEnd'>,
  other: Pick<Reservation, 'resourceId' | 'slotStart' | 'slotEnd'>,
  spacesOf: SpacesOf,
): boolean {
  if (one.slotStart >= other.slotEnd || other.slotStart >= one.slotEnd) return false;
  return spacesOf(one.resourceId).some((space) => spacesOf(other.resourceId).includes(space));
}

/**
 * The last response to a partner about a reservation. `fields`: the values that the document must have, by path such as
 * `customer.name`; instants in milliseconds.
 */
export type Acknowledged = {
  holdId: string;
  status: ReservationStatus;
  bookingId?: string;
  fields: Record<string, unknown>;
};

/** Reservations in the database that differ from the last response to their partner. */
export function lostAcknowledgements(rows: readonly Reservation[], acknowledged: readonly Acknowledged[]): string[] {
  const byId = new Map(rows.map((row) => [row._id, row]));
  return acknowledged.flatMap(({ holdId, status, bookingId, fields }) => {
    const row = byId.get(holdId);
    if (row === undefined) return [`${holdId} was ${status} and is gone`];
    const isStatusExpected = row.status === status || (status === 'ACTIVE' && row.status === 'EXPIRED');
    const expected = { ...fields, bookingId };
    return [
      ...(isStatusExpected ? [] : [`${holdId} was ${status} and is ${row.status}`]),
      ...Object.entries(expected)
        .filter(([path, value]) => fieldOf(row, path) !== value)
        .map(([path, value]) => `${holdId}: ${path} was ${String(value)} and is ${String(fieldOf(row, path))}`),
    ];
  });
}

function fieldOf(row: Reservation, path: string): unknown {
  let value: unknown = row;
  for (const name of path.split('.')) value = (value as Record<string, unknown> | undefined)?.[name];
  return value instanceof Date ? value.getTime() : value;
}

/** Purchases whose remaining credits are not the bought ones minus those that unrefunded bookings consumed. */
export function faultsOfCredits(purchases: readonly PurchaseRow[], rows: readonly Reservation[]): string[] {
  const consumed = countBy(
    rows.filter(({ status }) => status !== 'REFUNDED').flatMap(({ packagePurchaseId }) => packagePurchaseId ?? []),
  );
  const purchaseIds = new Set(purchases.map(({ _id }) => _id));
  const orphans = rows.filter(({ packagePurchaseId: id }) => id !== undefined && !purchaseIds.has(id));
  return [
    ...orphans.map(({ _id }) => `${_id} consumed a credit of a purchase that is gone`),
    ...purchases
      .map(({ _id, creditsTotal, creditsRemaining }) => {
        const expected = creditsTotal - (consumed.get(_id) ?? 0);
        return creditsRemaining === expected
          ? ''
          : `purchase ${_id} has ${creditsRemaining} credits instead of ${expected}`;
      })
      .filter((fault) => fault !== ''),
  ];
}

/**
 * Waits until all events are delivered, then compares the receiver with the log. Each event of a reservation needs one
 * received delivery to each of `subscriptions`, and a unique sequence number that the feed has reached. `repeats`:
 * received attempts beyond the first of each event at each subscription.
 */
export async function auditEvents(stored: Stored, received: readonly Received[], subscriptions: number) {
  const isIdle = async () => {
    const open = await rowsOf(stored, 'deliveries', { state: { $ne: 'succeeded' } });
    if (open.length > 0)
      throw new Error(`${open.length} deliveries have not succeeded, such as ${JSON.stringify(open[0])}`);
    return requireWholeFeed(stored);
  };
  await eventually('all deliveries have succeeded', isIdle, 120_000);
  const [events, deliveries, [counter]] = await Promise.all([
    // The subscriptions ask for reservation events only.
    rowsOf(stored, 'events', { isFiller: { $ne: true }, type: { $ne: 'availability_changed' } }),
    rowsOf(stored, 'deliveries'),
    rowsOf(stored, 'feed_counters'),
  ]);
  const last = counter?.last ?? 0;
  const receivedCounts = countBy(received.map(({ body }) => String(body['event_id'])));
  const deliveryCounts = countBy(deliveries.map(({ eventId }) => eventId));
  const loggedIds = new Set(events.map(({ _id }) => _id));
  const sequences = new Set(events.map(({ sequence }) => sequence));
  const attempts = new Set(received.map(({ body }) => body['delivery_id']));
  return {
    events: events.length,
    repeats: received.length - events.length * subscriptions,
    faults: [
      ...events
        .filter(({ _id }) => deliveryCounts.get(_id) !== subscriptions)
        .map(({ _id }) => `${_id}: not one delivery for each subscription`),
      ...events
        .filter(({ _id }) => (receivedCounts.get(_id) ?? 0) < subscriptions)
        .map(({ _id }) => `${_id}: not received`),
      ...[...receivedCounts.keys()].filter((id) => !loggedIds.has(id)).map((id) => `${id}: received but not logged`),
      ...(sequences.size === events.length ? [] : ['two events have the same sequence number']),
      ...(events.every(({ sequence = 0 }) => sequence >= 1 && sequence <= last) ? [] : ['an event is not in the feed']),
      ...(attempts.size === received.length ? [] : ['two attempts have the same delivery_id']),
    ],
  };
}

/** Throws until every event has left its outbox and the feed has reached the last one. */
export async function requireWholeFeed({ context: { db } }: Stored): Promise<true> {
  const count = (name: string, filter: object) => db.collection(name).countDocuments(filter);
  const [outboxes, unnumbered, openRanges] = await Promise.all([
    count('reservations', { outboxSince: { $exists: true } }),
    count('events', { isUnsequenced: true }),
    count('feed_counters', { 'open.0': { $exists: true } }),
  ]);
  if (outboxes + unnumbered + openRanges === 0) return true;
  throw new Error(`The feed is not whole: ${JSON.stringify({ outboxes, unnumbered, openRanges })}`);
}

function countBy(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/** The reservations whose events, in the log's order, do not lead to their state. */
export async function faultsOfHistories(stored: Stored, rows: readonly Reservation[]): Promise<string[]> {
  const eventsOf = new Map<string, EventRow[]>(rows.map(({ _id }) => [_id, []]));
  for (const event of await rowsOf(stored, 'events')) eventsOf.get(event.holdId ?? '')?.push(event);
  return rows.map((row) => faultOfHistory(row, eventsOf.get(row._id) ?? [])).filter((fault) => fault !== undefined);
}
