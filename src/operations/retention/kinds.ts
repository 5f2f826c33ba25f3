import { findChanges } from '../../catalog/changes/changes.store.ts';
import type { RetentionRule } from '../../domain/data-removal.ts';
import { PAST_EVENTS } from '../../events/events.rules.ts';
import { findReservationsWithEvent } from '../../events/events.store.ts';
import type { Db } from '../../platform/mongo.ts';
import type { Config } from '../../process/config/config.ts';
import { findUndispatchedAmong, findUndispatchedEventIds } from '../../reservations/outbox.store.ts';
import { ENDED_HOLDS, PAST_BOOKINGS } from '../../reservations/retention.rules.ts';
import { findEventsWithDelivery } from '../../webhooks/deliveries/deliveries.store.ts';
import { ENDED_DELIVERIES, OLD_DEAD_LETTERS } from '../../webhooks/deliveries/retention.rules.ts';
import type { AgedRow } from './aged-rows.store.ts';

export type RetentionConfig = Pick<Config, Extract<keyof Config, `retention${string}`>>;

/** A kind of rows. `name` is its folder in the archive and the label of its metrics. */
export type Kind = {
  name: 'holds' | 'bookings' | 'events' | 'deliveries' | 'dead-letters' | 'audit';
  rule: RetentionRule;
  setting: keyof RetentionConfig;
  /** The setting of another kind that needs these rows: they stay at least as long as its rows. */
  neededFor?: keyof RetentionConfig;
  /** The ids of the `rows` that are still needed. */
  findNeeded?: (db: Db, rows: readonly AgedRow[], before: Date) => Promise<ReadonlySet<string>>;
};

const OLD_AUDIT: RetentionRule = {
  collection: 'audit',
  field: 'at',
  hint: 'audit_newest',
  instant: 'at',
  isInRange: (before) => ({ at: { $lt: before } }),
  isDeletable: () => ({}),
};

const RESERVATION_ROWS = { neededFor: 'retentionEventsDays', findNeeded: findWithEvent } as const;

/** Every kind, in purge order: deliveries before their event, events before their reservation. */
export const KINDS: readonly Kind[] = [
  { name: 'deliveries', rule: ENDED_DELIVERIES, setting: 'retentionDeliveriesDays', findNeeded: findOfUndispatched },
  {
    name: 'dead-letters',
    rule: OLD_DEAD_LETTERS,
    setting: 'retentionDeadLettersDays',
    findNeeded: findOfUndispatched,
  },
  { name: 'events', rule: PAST_EVENTS, setting: 'retentionEventsDays', findNeeded: findUndispatchedOrWithDelivery },
  { name: 'holds', rule: ENDED_HOLDS, setting: 'retentionHoldsDays', ...RESERVATION_ROWS },
  { name: 'bookings', rule: PAST_BOOKINGS, setting: 'retentionBookingsDays', ...RESERVATION_ROWS },
  { name: 'audit', rule: OLD_AUDIT, setting: 'retentionAuditDays' },
];

/** The minimum number of days that rows of a kind are kept; 0 means for ever. */
export function daysKept({ setting, neededFor = setting }: Kind, config: RetentionConfig): number {
  const days = [config[setting], config[neededFor]];
  return days.includes(0) ? 0 : Math.max(...days);
}

/** Deliveries of undispatched events: without its deliveries, such an event would be delivered again. */
async function findOfUndispatched(db: Db, rows: readonly AgedRow[], before: Date): Promise<ReadonlySet<string>> {
  const waiting = await findUndispatchedEventIds(db, before);
  const eventIds = rows.map(({ eventId }) => String(eventId));
  for (const { _id } of await findChanges(db, eventIds)) waiting.add(_id);
  return new Set(rows.filter(({ eventId }) => waiting.has(String(eventId))).map(({ _id }) => _id));
}

/**
 * Events that are undispatched, or have a delivery: redelivery needs the event. Queries the outboxes first, because an
 * outbox is emptied once the deliveries exist.
 */
async function findUndispatchedOrWithDelivery(db: Db, rows: readonly AgedRow[]): Promise<ReadonlySet<string>> {
  const undispatched = await findUndispatchedAmong(
    db,
    rows.map(({ holdId }) => String(holdId)),
  );
  const ids = rows.map(({ _id }) => _id);
  const changes = new Set((await findChanges(db, ids)).map(({ _id }) => _id));
  const withDelivery = await findEventsWithDelivery(db, ids);
  const isNeeded = ({ _id, holdId }: AgedRow) =>
    undispatched.has(String(holdId)) || changes.has(_id) || withDelivery.has(_id);
  return new Set(rows.filter(isNeeded).map(({ _id }) => _id));
}

/** Reservations with an event: the erasure of a customer finds events only by their reservation. */
async function findWithEvent(db: Db, rows: readonly AgedRow[]): Promise<ReadonlySet<string>> {
  return findReservationsWithEvent(
    db,
    rows.map(({ _id }) => _id),
  );
}
