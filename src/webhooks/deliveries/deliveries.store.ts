import { writeEach } from '../../platform/bulk-writes.ts';
import { memoizeByObject } from '../../platform/memoize-by-object.ts';
import type { Db } from '../../platform/mongo.ts';
import { isDuplicateKey } from '../../platform/mongo.ts';
import { confirmAbsence, NEWEST, newestOf } from '../../platform/newest-reads.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import type { Page, Position } from '../../platform/pagination.ts';
import { beyond, toPage } from '../../platform/pagination.ts';
import { IS_FREE } from './attempts.store.ts';
import type { DeliveryRow, DeliveryState } from './deliveries.model.ts';
import { deliveryCollection } from './deliveries.model.ts';
import { WAITING } from './delivery-series.store.ts';

/** What inserting a row came to; a delivery `exists` where another row has its event and its subscription. */
export type Inserted = 'created' | 'exists' | Error;

/** Creates the rows that are missing; of an event and a subscription there is one. Returns for each, in their order, what it came to. */
export async function insertDeliveries(db: Db, rows: readonly DeliveryRow[]): Promise<Inserted[]> {
  if (rows.length === 0) return [];
  const errors = await writeEach(
    deliveryCollection(db),
    rows.map((document) => ({ insertOne: { document } })),
  );
  return errors.map((err) => (err === undefined ? 'created' : isDuplicateKey(err) ? 'exists' : err));
}

/** Deliveries by their ids, or by their events and, where it is named, their subscription. */
export type DeliveriesOf =
  | { deliveryIds: readonly string[] }
  | { eventIds: readonly string[]; subscriptionId?: string };

/** Those on which no attempt of their series has been made. */
export async function findPending(db: Db, of: DeliveriesOf): Promise<DeliveryRow[]> {
  const which =
    'deliveryIds' in of
      ? { _id: { $in: [...of.deliveryIds] } }
      : { eventId: { $in: [...of.eventIds] }, ...omitUndefined({ subscriptionId: of.subscriptionId }) };
  return deliveryCollection(db)
    .find({ ...which, state: 'pending' }, NEWEST)
    .toArray();
}

/** Every delivery of `eventIds`, oldest first. */
export async function findEveryDeliveryOfEvents(db: Db, eventIds: readonly string[]): Promise<DeliveryRow[]> {
  return deliveryCollection(db)
    .find({ eventId: { $in: [...eventIds] } })
    .sort({ createdAt: 1, _id: 1 })
    .toArray();
}

/** Those of `eventIds` of which there is a delivery, in the newest state. */
export async function findEventsWithDelivery(db: Db, eventIds: readonly string[]): Promise<Set<string>> {
  const rows = await deliveryCollection(db)
    .find({ eventId: { $in: [...eventIds] } }, { projection: { _id: 0, eventId: 1 }, ...NEWEST })
    .hint('one_delivery_per_receiver')
    .toArray();
  return new Set(rows.map(({ eventId }) => eventId));
}

/** Ids and states of a subscription's deliveries of `eventIds`. */
export async function findDeliveriesOfEvents(
  db: Db,
  subscriptionId: string,
  eventIds: readonly string[],
): Promise<Pick<DeliveryRow, '_id' | 'eventId' | 'state'>[]> {
  return deliveryCollection(db)
    .find({ eventId: { $in: [...eventIds] }, subscriptionId }, NEWEST)
    .project<Pick<DeliveryRow, '_id' | 'eventId' | 'state'>>({ eventId: 1, state: 1 })
    .toArray();
}

/** A delivery, and how long until its next attempt is due, by the database's clock; null where there is none to come. */
type DueRow = DeliveryRow & { dueInMs: number | null };

/**
 * A delivery for who is to work on it: as the guarded updates of the work will meet it. Those that are asked for at the same time share
 * a read.
 */
export async function findDelivery(db: Db, deliveryId: string): Promise<DueRow | null> {
  return newestDelivery(db)(deliveryId);
}

const newestDelivery = memoizeByObject((db: Db) =>
  newestOf<string, DueRow>(async (deliveryIds, options) => {
    const ofIds = { $match: { _id: { $in: [...new Set(deliveryIds)] } } };
    const dueInMs = { $subtract: ['$nextAttemptAt', '$$NOW'] };
    const rows = await deliveryCollection(db)
      .aggregate<DueRow>([ofIds, { $set: { dueInMs } }], options)
      .toArray();
    const byId = new Map(rows.map((row) => [row._id, row]));
    return (deliveryId) => byId.get(deliveryId);
  }),
);

/** Whether a worker is making an attempt of the delivery. */
export async function isBeingSent(db: Db, deliveryId: string): Promise<boolean> {
  const taken = { _id: deliveryId, $expr: { $not: [IS_FREE] } };
  return (await deliveryCollection(db).countDocuments(taken, NEWEST)) > 0;
}

/** The delivery with this id, or of which an attempt has it; both are UUIDs, so no id is both. */
export async function findDeliveryByAnyId(db: Db, id: string): Promise<DeliveryRow | null> {
  const either = { $or: [{ _id: id }, { 'attempts.deliveryId': id }] };
  return confirmAbsence((options) => deliveryCollection(db).findOne(either, options));
}

export async function findDeliveryOfEvent(
  db: Db,
  eventId: string,
  subscriptionId: string,
): Promise<DeliveryRow | null> {
  return confirmAbsence((options) => deliveryCollection(db).findOne({ eventId, subscriptionId }, options));
}

/** Deliveries that have been due for `graceMs` and that no worker is sending, in the order of their ids from `afterId` on. */
export async function findOverdueDeliveries(
  db: Db,
  graceMs: number,
  afterId: string,
  limit: number,
): Promise<DeliveryRow[]> {
  return deliveryCollection(db)
    .aggregate<DeliveryRow>(
      [
        {
          $match: {
            _id: { $gt: afterId },
            state: WAITING,
            $expr: { $and: [{ $lte: ['$nextAttemptAt', { $subtract: ['$$NOW', graceMs] }] }, IS_FREE] },
          },
        },
        { $sort: { _id: 1 } },
        { $limit: limit },
      ],
      // By id it would walk every delivery that ever was.
      { hint: 'due_deliveries' },
    )
    .toArray();
}

export type DeliveryFilter = {
  /** Absent: every partner's. */
  partnerId?: string;
  /** Absent: every state. */
  state?: DeliveryState;
  eventType?: string;
  subscriptionId?: string;
  eventIds?: readonly string[];
};

/** The deliveries of a partner, or of all, newest first. */
export async function listDeliveryRows(
  db: Db,
  { eventIds, ...filter }: DeliveryFilter,
  after: Position | undefined,
  limit: number,
): Promise<Page<DeliveryRow>> {
  const ofEvents = eventIds === undefined ? {} : { eventId: { $in: [...eventIds] } };
  const rows = await deliveryCollection(db)
    .find({ ...omitUndefined(filter), ...ofEvents, ...beyond(after, 'createdAt') } as never)
    .sort({ createdAt: -1, _id: -1 })
    .limit(limit + 1)
    .toArray();
  return toPage(rows, limit, (row) => ({ at: row.createdAt, id: row._id }));
}
