import type { Db } from '../../platform/mongo.ts';
import { deliveryCollection } from './deliveries.model.ts';

const WITH_EXCERPT = { 'attempts.responseExcerpt': { $type: 'string' } };

/** Erases the excerpts of receivers' responses to these events: a response may quote what was sent. */
export async function eraseExcerpts(db: Db, eventIds: readonly string[]): Promise<void> {
  await deliveryCollection(db).updateMany(
    { eventId: { $in: [...eventIds] }, ...WITH_EXCERPT },
    { $set: { 'attempts.$[].responseExcerpt': null } },
  );
}

/** All deliveries with an excerpt of a response; what is in it is not indexed, so all are read. */
export function findWithExcerpt(
  db: Db,
): AsyncIterable<{ _id: string; attempts: { responseExcerpt: string | null }[] }> {
  return deliveryCollection(db)
    .find(WITH_EXCERPT, { projection: { 'attempts.responseExcerpt': 1 } })
    .batchSize(2000);
}

/** Erases the excerpts of responses in these deliveries. */
export async function eraseExcerptsById(db: Db, deliveryIds: readonly string[]): Promise<void> {
  await deliveryCollection(db).updateMany(
    { _id: { $in: [...deliveryIds] }, ...WITH_EXCERPT },
    { $set: { 'attempts.$[].responseExcerpt': null } },
  );
}
