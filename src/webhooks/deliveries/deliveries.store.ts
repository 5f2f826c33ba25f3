import { writeEach } from '../../platform/bulk-writes.ts';
import { type Db, type Expression, isDuplicateKey } from '../../platform/mongo.ts';
import { confirmAbsence, NEWEST, newestByDb } from '../../platform/newest-reads.ts';
import { omitUndefined } from '../../platform/objects.ts';
import { beyond, type Page, type Position, toPage } from '../../platform/pagination.ts';
import { IS_FREE } from './attempts.store.ts';
import { type DeliveryRow, type DeliveryState, deliveryCollection } from './deliveries.model.ts';
import { WAITING } from './delivery-states.store.ts';

/** The outcome of inserting a row; `exists` if another row has the same event and subscription. */
export type Inserted = 'created' | 'exists' | Error;

/**
 * Inserts the rows, except those whose event and subscription have a row. Returns the outcome of each row, in order.
 */
export async function insertDeliveries(db: Db, rows: readonly DeliveryRow[]): Promise<Inserted[]> {
  if (rows.length === 0) return [];
  const inserts = rows.map((document) => ({ insertOne: { document } }));
  const errors = await writeEach(deliveryCollection(db), inserts);
  return errors.map((err) => (err === undefined ? 'created' : isDuplicateKey(err) ? 'exists' : err));
}

/** Deliveries by their ids, or by their events and optionally their subscription. */
export type DeliverySelector =
  | { deliveryIds: readonly string[] }
  | { eventIds: readonly string[]; subscriptionId?: string };

function matching(selector: DeliverySelector): Expression {
  if ('deliveryIds' in selector) return { _id: { $in: [...selector.deliveryIds] } };
  const { eventIds, subscriptionId } = selector;
  return { eventId: { $in: [...eventIds] }, ...omitUndefined({ subscriptionId }) };
}

export async function findPending(db: Db, selector: DeliverySelector): Promise<DeliveryRow[]> {
  return deliveryCollection(db)
    .find({ ...matching(selector), state: 'pending' }, NEWEST)
    .toArray();
}

export async function findEveryDeliveryOfEvents(db: Db, eventIds: readonly string[]): Promise<DeliveryRow[]> {
  return deliveryCollection(db).find(matching({ eventIds })).sort({ createdAt: 1, _id: 1 }).toArray();
}

export async function findEventsWithDelivery(db: Db, eventIds: readonly string[]): Promise<Set<string>> {
  const rows = await deliveryCollection(db)
    .find(matching({ eventIds }), { projection: { _id: 0, eventId: 1 }, ...NEWEST })
    .hint('one_delivery_per_receiver')
    .toArray();
  return new Set(rows.map(({ eventId }) => eventId));
}

export async function findDeliveriesOfEvents(
  db: Db,
  subscriptionId: string,
  eventIds: readonly string[],
): Promise<Pick<DeliveryRow, '_id' | 'eventId' | 'state'>[]> {
  return deliveryCollection(db)
    .find(matching({ eventIds, subscriptionId }), NEWEST)
    .project<Pick<DeliveryRow, '_id' | 'eventId' | 'state'>>({ eventId: 1, state: 1 })
    .toArray();
}

/** `dueInMs`: the time until the next attempt, by the database's clock; null if there is no further attempt. */
type DueRow = DeliveryRow & { dueInMs: number | null };

/** The newest state of a delivery, read from the primary. Concurrent calls share a read. */
export const findDelivery = newestByDb<string, DueRow>(async (db, ids, options) => {
  const dueInMs = { $subtract: ['$nextAttemptAt', '$$NOW'] };
  const rows = await deliveryCollection(db)
    .aggregate<DueRow>([{ $match: { _id: { $in: [...new Set(ids)] } } }, { $set: { dueInMs } }], options)
    .toArray();
  const byId = new Map(rows.map((row) => [row._id, row]));
  return (id) => byId.get(id);
});

export async function isBeingSent(db: Db, deliveryId: string): Promise<boolean> {
  const locked = { _id: deliveryId, $expr: { $not: [IS_FREE] } };
  return (await deliveryCollection(db).countDocuments(locked, NEWEST)) > 0;
}

/** The delivery with this id, or with an attempt of this id. */
export async function findDeliveryByAnyId(db: Db, id: string): Promise<DeliveryRow | null> {
  const either = { $or: [{ _id: id }, { 'attempts.deliveryId': id }] };
  return confirmAbsence((options) => deliveryCollection(db).findOne(either, options));
}

/** Deliveries that have been due for `graceMs` without a worker, by id, after `afterId`. */
export async function findOverdueDeliveries(
  db: Db,
  graceMs: number,
  afterId: string,
  limit: number,
): Promise<DeliveryRow[]> {
  const isOverdue = { $lte: ['$nextAttemptAt', { $subtract: ['$$NOW', graceMs] }] };
  return deliveryCollection(db)
    .aggregate<DeliveryRow>(
      [
        { $match: { _id: { $gt: afterId }, state: WAITING, $expr: { $and: [isOverdue, IS_FREE] } } },
        { $sort: { _id: 1 } },
        { $limit: limit },
      ],
      // Without this hint, MongoDB takes the index on ids and reads all deliveries.
      { hint: 'due_deliveries' },
    )
    .toArray();
}

/** An absent `partnerId` means every partner, an absent `state` every state. */
export type DeliveryFilter = {
  partnerId?: string;
  state?: DeliveryState;
  eventType?: string;
  subscriptionId?: string;
  eventIds?: readonly string[];
};

export async function listDeliveryRows(
  db: Db,
  { eventIds, ...filter }: DeliveryFilter,
  after: Position | undefined,
  limit: number,
): Promise<Page<DeliveryRow>> {
  const ofEvents = eventIds === undefined ? {} : matching({ eventIds });
  const rows = await deliveryCollection(db)
    .find({ ...omitUndefined(filter), ...ofEvents, ...beyond(after, 'createdAt') } as never)
    .sort({ createdAt: -1, _id: -1 })
    .limit(limit + 1)
    .toArray();
  return toPage(rows, limit, (row) => ({ at: row.createdAt, id: row._id }));
}

const WITH_EXCERPT = { 'attempts.responseExcerpt': { $type: 'string' } };

/** Erases the excerpts of receivers' responses, which may quote the event. */
export async function eraseExcerpts(db: Db, selector: DeliverySelector): Promise<void> {
  await deliveryCollection(db).updateMany(
    { ...matching(selector), ...WITH_EXCERPT },
    { $set: { 'attempts.$[].responseExcerpt': null } },
  );
}

/** All deliveries with an excerpt of a response. Reads all deliveries, because excerpts have no index. */
export function findWithExcerpt(
  db: Db,
): AsyncIterable<{ _id: string; attempts: { responseExcerpt: string | null }[] }> {
  return deliveryCollection(db)
    .find(WITH_EXCERPT, { projection: { 'attempts.responseExcerpt': 1 } })
    .batchSize(2000);
}
