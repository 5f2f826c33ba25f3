import type { Model } from 'mongoose';
import type { Db } from '../../platform/mongo.ts';
import {
  collectionOf,
  definitionOf,
  modelOf,
  NULLABLE,
  OPTIONAL,
  REQUIRED,
  type RowOf,
  schemaOf,
} from '../../platform/mongo-schema.ts';

/** A package on sale: credits valid for some days at these venues. */
export type PackageRow = RowOf<typeof packageSchema>;
export type PackageColumns = Partial<Omit<PackageRow, '_id' | 'partnerId'>>;

const packageSchema = schemaOf('packages', {
  _id: REQUIRED.text,
  partnerId: REQUIRED.text,
  name: REQUIRED.text,
  description: NULLABLE.text,
  venueIds: REQUIRED.texts,
  credits: REQUIRED.number,
  pricePaise: REQUIRED.number,
  validityDays: REQUIRED.number,
  status: { type: String, enum: ['active', 'inactive'], required: true },
});
packageSchema.index({ partnerId: 1, _id: 1 }, { name: 'packages_of_partner' });

/**
 * A sold package; later changes of the package do not affect it. `customerPhone` is as given; confirms match
 * `phoneE164`. `endedAt` is present if an operator ended the purchase.
 */
export type PurchaseRow = RowOf<typeof purchaseSchema>;

/** A purchase, and whether it has expired by now or was ended early. */
export type PurchaseWithExpiry = PurchaseRow & { isExpired: boolean };

const purchaseSchema = schemaOf('package_purchases', {
  _id: REQUIRED.text,
  partnerId: REQUIRED.text,
  packageId: REQUIRED.text,
  customerPhone: REQUIRED.text,
  phoneE164: REQUIRED.text,
  paymentMethod: REQUIRED.text,
  venueIds: REQUIRED.texts,
  creditsTotal: REQUIRED.number,
  creditsRemaining: REQUIRED.number,
  purchasedAt: REQUIRED.date,
  expiresAt: REQUIRED.date,
  purchaseKey: REQUIRED.text,
  endedAt: OPTIONAL.date,
  endReason: OPTIONAL.text,
});
purchaseSchema.index({ partnerId: 1, purchaseKey: 1 }, { name: 'purchase_key_of_partner', unique: true });
purchaseSchema.index({ phoneE164: 1 }, { name: 'purchases_of_phone' });
purchaseSchema.index({ partnerId: 1, phoneE164: 1, venueIds: 1, expiresAt: 1 }, { name: 'credits_of_customer' });

export const packageModel = (db: Db): Model<PackageRow> => modelOf(db, packageSchema);

export const packageCollection = (db: Db) => collectionOf(db, packageSchema);
export const purchaseCollection = (db: Db) => collectionOf(db, purchaseSchema);

export const PACKAGE_COLLECTIONS = [
  definitionOf(packageSchema),
  // The database keeps credits from going below zero, even in a race.
  definitionOf(purchaseSchema, { properties: { creditsRemaining: { minimum: 0 } } }),
];
