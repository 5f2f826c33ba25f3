import mongoose from 'mongoose';
import type { Db, Tx } from '../platform/mongo.ts';
import { isDuplicateKey } from '../platform/mongo.ts';
import type { ResourceRow, VenueRow } from './venues.model.ts';
import { resourceModel, venueModel } from './venues.model.ts';

export async function insertVenue(db: Db, venue: VenueRow): Promise<void> {
  await venueModel(db).create(venue);
}

export async function findVenue(db: Db, venueId: string): Promise<VenueRow | null> {
  return venueModel(db).findById(venueId).lean();
}

/** Venues by name; all of them, or those of `venueIds`. */
export async function listVenueRows(db: Db, venueIds?: readonly string[]): Promise<VenueRow[]> {
  const filter = venueIds === undefined ? {} : { _id: mongoose.trusted({ $in: [...venueIds] }) };
  return venueModel(db).find(filter).sort({ name: 1, _id: 1 }).lean();
}

export async function updateVenueRow(
  db: Db,
  venueId: string,
  set: Partial<Omit<VenueRow, '_id'>>,
): Promise<VenueRow | null> {
  return venueModel(db).findByIdAndUpdate(venueId, { $set: set }, { returnDocument: 'after' }).lean();
}

/** False where a resource of that id exists already. */
export async function insertResource(db: Db, resource: ResourceRow): Promise<boolean> {
  try {
    await resourceModel(db).create(resource);
    return true;
  } catch (err) {
    if (isDuplicateKey(err)) return false;
    throw err;
  }
}

export async function findResource(db: Db, resourceId: string): Promise<ResourceRow | null> {
  return resourceModel(db).findById(resourceId).lean();
}

/** The resources of a venue by id. */
export async function listResourceRows(db: Db, venueId: string): Promise<ResourceRow[]> {
  return resourceModel(db).find({ venueId }).sort({ _id: 1 }).lean();
}

export async function updateResourceRow(
  db: Db,
  resourceId: string,
  set: Partial<Omit<ResourceRow, '_id' | 'venueId'>>,
): Promise<ResourceRow | null> {
  return resourceModel(db).findByIdAndUpdate(resourceId, { $set: set }, { returnDocument: 'after' }).lean();
}

/** Adds `resourceId` to those with which each of `otherIds` cannot be used at the same time. */
export async function addSharedSpace(db: Db, otherIds: readonly string[], resourceId: string): Promise<void> {
  await resourceModel(db).updateMany(
    { _id: mongoose.trusted({ $in: [...otherIds] }) },
    { $addToSet: { sharesSpaceWith: resourceId } },
  );
}

/** Makes the transaction conflict with every other one that does the same for the venue. */
export async function fenceVenue(db: Db, venueId: string, tx: Tx): Promise<void> {
  await venueModel(db).updateOne({ _id: venueId }, { $inc: { claimFence: 1 } }, { session: tx });
}

/** The resource as it is in the transaction, which conflicts with every change of it. */
export async function fenceResource(db: Db, resourceId: string, tx: Tx): Promise<ResourceRow | null> {
  return resourceModel(db)
    .findByIdAndUpdate(resourceId, { $inc: { claimFence: 1 } }, { session: tx, returnDocument: 'after' })
    .lean();
}
