import mongoose from 'mongoose';
import type { EntryKind } from '../platform/cache-entries.store.ts';
import { type Entry, leasedCacheOf } from '../platform/leased-cache.ts';
import { type Db, inSnapshot, type ReadOptions, type Snapshot, type Tx } from '../platform/mongo.ts';
import { confirmAbsence, NEWEST } from '../platform/newest-reads.ts';
import { type Page, type PageWanted, toPage } from '../platform/pagination.ts';
import type { KeyOfPartner } from './api-keys.store.ts';
import {
  type CertificationReportRow,
  certificationReportCollection,
  grantCollection,
  grantIdOf,
  type PartnerRow,
  partnerCollection,
  partnerModel,
} from './partners.model.ts';

export async function insertPartner(db: Db, partner: PartnerRow): Promise<void> {
  await partnerModel(db).create(partner);
}

export async function findPartner(db: Db, partnerId: string): Promise<PartnerRow | null> {
  return confirmAbsence((options) => partnerCollection(db).findOne({ _id: partnerId }, options), NEWEST);
}

export async function findPartnersById(db: Db, partnerIds: readonly string[]): Promise<PartnerRow[]> {
  return partnerModel(db)
    .find({ _id: mongoose.trusted({ $in: [...partnerIds] }) })
    .lean();
}

/** A page of all partners, oldest first. */
export async function listPartners(db: Db, { after, limit }: PageWanted): Promise<Page<PartnerRow>> {
  const filter = after === undefined ? {} : { _id: mongoose.trusted({ $gt: after.id }) };
  const rows = await partnerModel(db)
    .find(filter)
    .sort({ _id: 1 })
    .limit(limit + 1)
    .lean();
  return toPage(rows, limit, ({ createdAt: at, _id: id }) => ({ at, id }));
}

export async function updatePartnerRow(
  db: Db,
  partnerId: string,
  set: Partial<Omit<PartnerRow, '_id'>>,
): Promise<PartnerRow | null> {
  return partnerModel(db).findByIdAndUpdate(partnerId, { $set: set }, { returnDocument: 'after' }).lean();
}

/**
 * Sets `fields`, and the date of certification unless there is one; null if there is no such partner. One update, so
 * concurrent calls keep the first date.
 */
export async function certifyPartnerRow(
  db: Db,
  partnerId: string,
  now: Date,
  fields: Pick<PartnerRow, 'certificationNotes' | 'certificationSummary'>,
  tx: Tx,
): Promise<PartnerRow | null> {
  const certifiedAt = { $ifNull: ['$certifiedAt', now] };
  const literals = Object.entries(fields).map(([name, value]) => ({ [name]: { $literal: value } }));
  return partnerCollection(db).findOneAndUpdate(
    { _id: partnerId },
    [{ $set: { certifiedAt } }, ...literals.map(($set) => ({ $set }))],
    { returnDocument: 'after', session: tx },
  );
}

export async function replaceCertificationReport(db: Db, row: CertificationReportRow, tx: Tx): Promise<void> {
  await certificationReportCollection(db).replaceOne({ _id: row._id }, row, { upsert: true, session: tx });
}

export async function findCertificationReport(db: Db, partnerId: string): Promise<CertificationReportRow | null> {
  return confirmAbsence((options) => certificationReportCollection(db).findOne({ _id: partnerId }, options), NEWEST);
}

export async function findActivePartnerIds(
  db: Db,
  partnerIds: readonly string[],
  options: ReadOptions = NEWEST,
): Promise<Set<string>> {
  if (partnerIds.length === 0) return new Set();
  const rows = await partnerCollection(db)
    .find({ _id: { $in: [...new Set(partnerIds)] }, status: 'active' }, { projection: { _id: 1 }, ...options })
    .toArray();
  return new Set(rows.map((row) => row._id));
}

export async function findGrant(db: Db, partnerId: string, venueId: string): Promise<boolean> {
  const isGranted = async (options: ReadOptions) =>
    (await grantCollection(db).findOne({ _id: grantIdOf(partnerId, venueId) }, options)) !== null;
  return confirmAbsence(isGranted, NEWEST);
}

/** Tells which of `pairs` are grants of active partners; one round trip. */
export async function findActiveGrants(
  db: Db,
  pairs: readonly { partnerId: string; venueId: string }[],
  options: ReadOptions = NEWEST,
): Promise<(partnerId: string, venueId: string) => boolean> {
  if (pairs.length === 0) return () => false;
  const ids = new Set(pairs.map(({ partnerId, venueId }) => grantIdOf(partnerId, venueId)));
  const steps = [
    { $match: { _id: { $in: [...ids] } } },
    {
      $lookup: {
        from: 'partners',
        localField: 'partnerId',
        foreignField: '_id',
        pipeline: [{ $match: { status: 'active' } }, { $project: { _id: 1 } }],
        as: 'active',
      },
    },
    { $match: { 'active._id': { $exists: true } } },
    { $project: { _id: 1 } },
  ];
  const rows = await grantCollection(db).aggregate<{ _id: string }>(steps, options).toArray();
  const granted = new Set(rows.map((row) => row._id));
  return (partnerId, venueId) => granted.has(grantIdOf(partnerId, venueId));
}

/** The venues granted to the partner: in the snapshot if there is one, else in the newest state. */
export async function listGrantedVenueIds(db: Db, partnerId: string, snapshot?: Snapshot): Promise<string[]> {
  const rows = await grantCollection(db)
    .find({ partnerId }, { projection: { venueId: 1 }, ...(snapshot === undefined ? NEWEST : inSnapshot(snapshot)) })
    .toArray();
  return rows.map((row) => row.venueId);
}

/** The collection's estimated count, which can be slightly wrong after a crash. */
export function countPartners(db: Db): Promise<number> {
  return partnerCollection(db).estimatedDocumentCount();
}

const withPartner = { from: 'partners', localField: 'partnerId', foreignField: '_id', as: 'partner' };
const partnerStatus = { $set: { partnerStatus: { $first: '$partner.status' } } };

const KEYS: EntryKind = {
  collection: 'api_keys',
  // Leave out `lastUsedAt`: uses of the key change it, which would count as a change of the key.
  stages: [{ $lookup: withPartner }, partnerStatus, { $unset: ['partner', 'lastUsedAt'] }],
};

const GRANTS: EntryKind = {
  collection: 'grants',
  stages: [{ $lookup: withPartner }, partnerStatus, { $project: { partnerStatus: 1 } }],
};

/** A key from the cache (ADR 0006); null for a revoked key or an inactive partner. The key may have expired. */
export async function findCachedKey(db: Db, keyId: string): Promise<Entry<KeyOfPartner> | null> {
  const entry = await leasedCacheOf(db).read<KeyOfPartner>(KEYS, keyId);
  return entry?.value.revokedAt === null && entry.value.partnerStatus === 'active' ? entry : null;
}

/** The partner's grant for the venue from the cache, with the state of the partner; null if there is none. */
export async function findCachedGrant(
  db: Db,
  partnerId: string,
  venueId: string,
): Promise<Entry<Pick<KeyOfPartner, 'partnerStatus'>> | null> {
  return leasedCacheOf(db).read(GRANTS, grantIdOf(partnerId, venueId));
}
