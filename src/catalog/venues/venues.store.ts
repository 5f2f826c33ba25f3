import mongoose from 'mongoose';
import { grantIdOf } from '../../partners/partners.model.ts';
import type { Db, Tx } from '../../platform/mongo.ts';
import { confirmAbsence, NEWEST, newestByDb } from '../../platform/newest-reads.ts';
import { type Page, type PageWanted, toPage } from '../../platform/pagination.ts';
import { resourceModel, type VenueColumns, type VenueRow, venueCollection, venueModel } from './venues.model.ts';

export async function insertVenue(db: Db, venue: VenueRow): Promise<void> {
  await venueModel(db).create(venue);
}

/**
 * The newest state of a document, by id. Null only if a second read confirms the absence. Concurrent calls share reads.
 */
export const newestById = <T extends { _id: string }>(collectionIn: (db: Db) => mongoose.mongo.Collection<T>) =>
  newestByDb<string, T>(async (db, ids, options) => {
    const rows = await collectionIn(db)
      .find({ _id: { $in: [...ids] } } as never, options)
      .toArray();
    const byId = new Map((rows as T[]).map((row) => [row._id, row]));
    return (id) => byId.get(id);
  });

export const findVenue = newestById<VenueRow>(venueCollection);

/** The venue, or null if it is missing or not granted to the partner: one round trip. */
export async function findGrantedVenue(db: Db, partnerId: string, venueId: string): Promise<VenueRow | null> {
  return confirmAbsence(async (options) => {
    const [row] = await venueCollection(db)
      .aggregate<VenueRow & { grants: unknown[] }>(
        [{ $match: { _id: venueId } }, withGrant(partnerId, venueId)],
        options,
      )
      .toArray();
    if (row === undefined || row.grants.length === 0) return null;
    const { grants: _, ...venue } = row;
    return venue;
  }, NEWEST);
}

const withGrant = (partnerId: string, venueId: string) => ({
  $lookup: {
    from: 'grants',
    pipeline: [{ $match: { _id: grantIdOf(partnerId, venueId) } }, { $project: { _id: 1 } }],
    as: 'grants',
  },
});

export async function listTimeZones(db: Db): Promise<string[]> {
  return venueCollection(db).distinct('timeZone');
}

export async function countVenuesIn(db: Db, timeZones: readonly string[]): Promise<number> {
  return venueCollection(db).countDocuments({ timeZone: { $in: [...timeZones] } });
}

export async function renameTimeZone(db: Db, oldName: string, newName: string): Promise<number> {
  const venues = venueCollection(db);
  const { modifiedCount } = await venues.updateMany({ timeZone: oldName }, { $set: { timeZone: newName } });
  return modifiedCount;
}

/** The existing venues of `venueIds`, by name. */
export async function findVenuesById(db: Db, venueIds: readonly string[]): Promise<VenueRow[]> {
  return venueCollection(db)
    .find({ _id: { $in: [...venueIds] } }, NEWEST)
    .sort({ name: 1, _id: 1 })
    .toArray();
}

/** The active venues of `venueIds` with their cities, by id. */
export async function findActiveVenueCities(
  db: Db,
  venueIds: readonly string[],
): Promise<Pick<VenueRow, '_id' | 'city'>[]> {
  return venueCollection(db)
    .find({ _id: { $in: [...venueIds] }, status: 'active' }, { projection: { city: 1 } })
    .sort({ _id: 1 })
    .toArray();
}

const ID_LENGTH = 36;

/** Venues by name. The cursor has id and name, so that renaming its venue neither repeats nor skips others. */
export async function listVenues(db: Db, { after, limit }: PageWanted): Promise<Page<VenueRow>> {
  const [id, name] = [after?.id.slice(0, ID_LENGTH) ?? '', after?.id.slice(ID_LENGTH) ?? ''];
  const isAfter = [{ name: mongoose.trusted({ $gt: name }) }, { name, _id: mongoose.trusted({ $gt: id }) }];
  const rows = await venueModel(db)
    .find(after === undefined ? {} : { $or: isAfter })
    .sort({ name: 1, _id: 1 })
    .limit(limit + 1)
    .lean();
  return toPage(rows, limit, (row) => ({ at: new Date(0), id: row._id + row.name }));
}

/** The venue before the change; null if there is no such venue. */
export async function updateVenueRow(
  db: Db,
  venueId: string,
  set: VenueColumns,
  session: Tx,
): Promise<VenueRow | null> {
  return venueModel(db).findByIdAndUpdate(venueId, { $set: set }, { returnDocument: 'before', session }).lean();
}

/** Reads the venue in the transaction, which then conflicts with every other transaction that fences the venue. */
export async function fenceVenue(db: Db, venueId: string, tx: Tx): Promise<VenueRow | null> {
  return venueModel(db)
    .findByIdAndUpdate(venueId, { $inc: { claimFence: 1 } }, { session: tx, returnDocument: 'after' })
    .lean();
}

/** The collections' estimated counts, which can be slightly wrong after a crash. */
export async function countVenuesAndResources(db: Db): Promise<{ venues: number; resources: number }> {
  const [venues, resources] = await Promise.all([
    venueModel(db).estimatedDocumentCount(),
    resourceModel(db).estimatedDocumentCount(),
  ]);
  return { venues, resources };
}
