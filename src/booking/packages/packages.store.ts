import mongoose from 'mongoose';
import { type Erasure, redactKey, redactText, type Upcoming } from '../../domain/data-removal.ts';
import type { Db, Expression, ReadOptions, Tx } from '../../platform/mongo.ts';
import { unlessDuplicate } from '../../platform/mongo.ts';
import { CONFIRMED, confirmAbsence, NEWEST } from '../../platform/newest-reads.ts';
import { omitUndefined } from '../../platform/objects.ts';
import { type Page, type PageWanted, toPage } from '../../platform/pagination.ts';
import type { PackageColumns, PackageRow, PurchaseRow, PurchaseWithExpiry } from './packages.model.ts';
import { packageCollection, packageModel, purchaseCollection } from './packages.model.ts';

const DAY_MS = 86_400_000;

/** Matches a purchase that has not expired by the database's clock (ADR 0004) and was not ended. */
const UNEXPIRED: Expression = { $and: [{ $gt: ['$expiresAt', '$$NOW'] }, { $eq: [{ $type: '$endedAt' }, 'missing'] }] };

const findWithExpiry = (db: Db, stages: Expression[], options: ReadOptions = {}): Promise<PurchaseWithExpiry[]> =>
  purchaseCollection(db)
    .aggregate<PurchaseWithExpiry>([...stages, { $set: { isExpired: { $not: UNEXPIRED } } }], options)
    .toArray();

export async function insertPackage(db: Db, row: PackageRow): Promise<void> {
  await packageModel(db).create(row);
}

export async function findPackage(db: Db, packageId: string): Promise<PackageRow | null> {
  const packages = packageCollection(db);
  return confirmAbsence((options) => packages.findOne({ _id: packageId }, options), NEWEST);
}

/** The partner's catalogue, oldest first; only packages for the venue if one is named. */
export async function listCatalogue(db: Db, partnerId: string, venueId?: string): Promise<PackageRow[]> {
  return packageModel(db)
    .find(omitUndefined({ partnerId, venueIds: venueId }))
    .sort({ _id: 1 })
    .lean();
}

/** The packages of all partners, or of one; by id, so the oldest first. */
export async function listPackages(
  db: Db,
  partnerId: string | undefined,
  { after, limit }: PageWanted,
): Promise<Page<PackageRow>> {
  const rows = await packageModel(db)
    .find(omitUndefined({ partnerId, _id: after && mongoose.trusted({ $gt: after.id }) }))
    .sort({ _id: 1 })
    .limit(limit + 1)
    .lean();
  return toPage(rows, limit, ({ _id: id }) => ({ at: new Date(0), id }));
}

export async function updatePackageRow(db: Db, packageId: string, set: PackageColumns): Promise<PackageRow | null> {
  return packageModel(db).findByIdAndUpdate(packageId, { $set: set }, { returnDocument: 'after' }).lean();
}

/** Inserts a purchase that begins now, by the database's clock; null if the partner has used the key before. */
export async function insertPurchase(
  db: Db,
  row: Omit<PurchaseRow, 'purchasedAt' | 'expiresAt'>,
  validityDays: number,
): Promise<PurchaseWithExpiry | null> {
  const instants = { purchasedAt: '$$NOW', expiresAt: { $add: ['$$NOW', validityDays * DAY_MS] } };
  const inserting = purchaseCollection(db).findOneAndUpdate(
    { _id: row._id },
    [{ $replaceWith: { $mergeObjects: [{ $literal: row }, instants] } }],
    { upsert: true, returnDocument: 'after' },
  );
  const inserted = await unlessDuplicate(inserting);
  return inserted && { ...inserted, isExpired: false };
}

export async function findPurchase(db: Db, purchaseId: string): Promise<PurchaseWithExpiry | null> {
  return confirmAbsence(
    async (options) => (await findWithExpiry(db, [{ $match: { _id: purchaseId } }], options))[0] ?? null,
  );
}

/** The purchase made with the partner's key; waits until a concurrent insert is majority-committed. */
export async function findPurchaseByKey(db: Db, partnerId: string, purchaseKey: string): Promise<PurchaseRow | null> {
  return purchaseCollection(db).findOne({ partnerId, purchaseKey }, CONFIRMED);
}

/** The customer's purchases that can be used at the venue, soonest expiry first. */
export async function listUsablePurchases(
  db: Db,
  partnerId: string,
  phoneE164: string,
  venueId: string,
): Promise<PurchaseWithExpiry[]> {
  return findWithExpiry(db, [
    { $match: { partnerId, phoneE164, venueIds: venueId, creditsRemaining: { $gt: 0 }, $expr: UNEXPIRED } },
    { $sort: { expiresAt: 1, _id: 1 } },
  ]);
}

/**
 * Takes a credit of the usable purchase that expires first; null if there is none. The filter keeps credits from going
 * below 0.
 */
export async function consumeCredit(
  db: Db,
  partnerId: string,
  phoneE164: string,
  venueId: string,
  tx: Tx,
): Promise<string | null> {
  const taken = await purchaseCollection(db).findOneAndUpdate(
    { partnerId, phoneE164, venueIds: venueId, creditsRemaining: { $gt: 0 }, $expr: UNEXPIRED },
    { $inc: { creditsRemaining: -1 } },
    { sort: { expiresAt: 1, _id: 1 }, projection: { _id: 1 }, session: tx },
  );
  return taken?._id ?? null;
}

/** A customer's purchases from all partners, newest first. */
export async function listPurchasesOfPhone(db: Db, phoneE164: string, limit: number): Promise<PurchaseWithExpiry[]> {
  const newest = { $sort: { purchasedAt: -1, _id: 1 } };
  return findWithExpiry(db, [{ $match: { phoneE164 } }, newest, { $limit: limit }]);
}

/** Ends a purchase unless it has expired. */
export async function endPurchaseRow(db: Db, purchaseId: string, reason: string): Promise<void> {
  await purchaseCollection(db).updateOne({ _id: purchaseId, $expr: UNEXPIRED }, [
    { $set: { endedAt: '$$NOW', endReason: { $literal: reason } } },
  ]);
}

/** How many of a customer's purchases can still be used, and until when. */
export async function findUsablePurchases(db: Db, phoneE164: string): Promise<Upcoming> {
  const found = purchaseCollection(db).aggregate<Upcoming>(
    [
      { $match: { phoneE164, creditsRemaining: { $gt: 0 }, $expr: UNEXPIRED } },
      { $group: { _id: null, count: { $sum: 1 }, until: { $max: '$expiresAt' } } },
    ],
    NEWEST,
  );
  const [row] = await found.toArray();
  return row ?? { count: 0, until: null };
}

/**
 * Erases the customer from purchases that can no longer be used, with keys and payment methods that identify the
 * customer. Returns how many purchases changed. Other keys stay, so that a repeated call still sells nothing.
 */
export async function eraseCustomerOfPurchases(db: Db, phoneE164: string, erasure: Erasure): Promise<number> {
  const { replacement } = erasure;
  const isUsedUp = { phoneE164, $or: [{ creditsRemaining: { $lte: 0 } }, { $expr: { $not: UNEXPIRED } }] };
  const rows = await purchaseCollection(db)
    .find(isUsedUp, { projection: { purchaseKey: 1, paymentMethod: 1, endReason: 1 }, ...NEWEST })
    .toArray();
  if (rows.length === 0) return 0;
  const updates = rows.map(({ _id, purchaseKey, paymentMethod, endReason }) => ({
    updateOne: {
      filter: { _id, ...isUsedUp },
      update: {
        $set: {
          customerPhone: replacement,
          phoneE164: replacement,
          purchaseKey: redactKey(purchaseKey, erasure),
          paymentMethod: redactText(paymentMethod, erasure),
          ...(endReason === undefined ? {} : { endReason: replacement }),
        },
      },
    },
  }));
  return (await purchaseCollection(db).bulkWrite(updates, { ordered: false })).modifiedCount;
}

/**
 * Gives one credit back, never more than were bought, and none to a purchase that an operator ended or that was erased
 * (its phone is not a number).
 */
export async function giveCreditBack(db: Db, purchaseId: string, tx: Tx): Promise<void> {
  await purchaseCollection(db).updateOne(
    {
      _id: purchaseId,
      phoneE164: /^\+/,
      endedAt: { $exists: false },
      $expr: { $lt: ['$creditsRemaining', '$creditsTotal'] },
    },
    { $inc: { creditsRemaining: 1 } },
    { session: tx },
  );
}
