import { findChanges } from '../../catalog/changes/changes.store.ts';
import type { RetentionRule } from '../../domain/retention.ts';
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
  /** The setting of another kind that needs these rows: they are kept as long as rows of that kind. */
  neededFor?: keyof RetentionConfig;
  /** The ids of the `rows` that are still needed. */
  findNeeded?: (db: Db, rows: readonly AgedRow[], before: Date) => Promise<ReadonlySet<string>>;
};

const OLD_AUDIT: RetentionRule = {
  collection: 'audit',
  field: 'at',
  hint: 'audit_newest',
  instant: 'at',
  isWalked: (before) => ({ at: { $lt: before } }),
  isOver: () => ({}),
};

const OF_RESERVATIONS = { neededFor: 'retentionEventsDays', findNeeded: logged } as const;

/** Every kind, in purge order: deliveries before their event, events before their reservation. */
export const KINDS: readonly Kind[] = [
  { name: 'deliveries', rule: ENDED_DELIVERIES, setting: 'retentionDeliveriesDays', findNeeded: redelivered },
  {
    name: 'dead-letters',
    rule: OLD_DEAD_LETTERS,
    setting: 'retentionDeadLettersDays',
    findNeeded: redelivered,
  },
  { name: 'events', rule: PAST_EVENTS, setting: 'retentionEventsDays', findNeeded: delivered },
  { name: 'holds', rule: ENDED_HOLDS, setting: 'retentionHoldsDays', ...OF_RESERVATIONS },
  { name: 'bookings', rule: PAST_BOOKINGS, setting: 'retentionBookingsDays', ...OF_RESERVATIONS },
  { name: 'audit', rule: OLD_AUDIT, setting: 'retentionAuditDays' },
];

/** The minimum number of days that rows of a kind are kept; 0 means for ever. */
export function daysKept({ setting, neededFor = setting }: Kind, config: RetentionConfig): number {
  const [own, others] = [config[setting], config[neededFor]];
  return own === 0 || others === 0 ? 0 : Math.max(own, others);
}

/** Deliveries of events that are still in an outbox: without them the events would be delivered again. */
async function redelivered(db: Db, rows: readonly AgedRow[], before: Date): Promise<ReadonlySet<string>> {
  const waiting = await findUndispatchedEventIds(db, before);
  const eventIds = rows.map(({ eventId }) => String(eventId));
  for (const { _id } of await findChanges(db, eventIds)) waiting.add(_id);
  return new Set(rows.filter(({ eventId }) => waiting.has(String(eventId))).map(({ _id }) => _id));
}

/**
 * Events that are being dispatched or have a delivery: redelivery needs the event. Outboxes are queried first, because
 * an outbox is emptied once the deliveries exist.
 */
async function delivered(db: Db, rows: readonly AgedRow[]): Promise<ReadonlySet<string>> {
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

/** Reservations with an event: erasures find events only by reservation. */
async function logged(db: Db, rows: readonly AgedRow[]): Promise<ReadonlySet<string>> {
  return findReservationsWithEvent(
    db,
    rows.map(({ _id }) => _id),
  );
}
