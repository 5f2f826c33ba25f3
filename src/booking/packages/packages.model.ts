import { type InferRawDocType, type Model, Schema } from 'mongoose';
import type { CollectionDefinition } from '../../platform/ensure-collection.ts';
import { type Db, modelOf, openCollection, REQUIRED_NUMBER, REQUIRED_TEXT } from '../../platform/mongo.ts';

/** A sold package; changes of the package do not affect it. */
export type PurchaseRow = {
  _id: string;
  partnerId: string;
  packageId: string;
  /** As given; confirms match `phoneE164`. */
  customerPhone: string;
  phoneE164: string;
  paymentMethod: string;
  venueIds: string[];
  creditsTotal: number;
  creditsRemaining: number;
  purchasedAt: Date;
  expiresAt: Date;
  purchaseKey: string;
  /** Present if an operator ended it early. */
  endedAt?: Date;
  endReason?: string;
};

/** A purchase as it is to be seen now: one that was ended is expired too. */
export type SeenPurchase = PurchaseRow & { isExpired: boolean };

const PACKAGE = {
  _id: REQUIRED_TEXT,
  partnerId: REQUIRED_TEXT,
  name: REQUIRED_TEXT,
  description: { type: String, default: null },
  venueIds: { type: [String], required: true },
  credits: REQUIRED_NUMBER,
  pricePaise: REQUIRED_NUMBER,
  validityDays: REQUIRED_NUMBER,
  status: { type: String, enum: ['active', 'inactive'], required: true },
} as const;

/** A package on sale: credits valid for some days at these venues. */
export type PackageRow = Omit<InferRawDocType<typeof PACKAGE>, 'description'> & { description: string | null };

export type PackageColumns = Partial<Omit<PackageRow, '_id' | 'partnerId'>>;

const packageSchema = new Schema<PackageRow>(PACKAGE, { collection: 'packages', versionKey: false });

export const packageModel = (db: Db): Model<PackageRow> => modelOf(db, 'Package', packageSchema);

export const purchaseCollection = (db: Db) => openCollection<PurchaseRow>(db, 'package_purchases');

export const PACKAGE_COLLECTIONS: [CollectionDefinition<PackageRow>, CollectionDefinition<PurchaseRow>] = [
  {
    name: 'packages',
    jsonSchema: {
      required: ['partnerId', 'credits', 'validityDays', 'status'],
      properties: { status: { enum: ['active', 'inactive'] } },
    },
    indexes: [{ name: 'packages_of_partner', key: { partnerId: 1, _id: 1 } }],
  },
  {
    name: 'package_purchases',
    // The database keeps credits from going below zero, even in a race.
    jsonSchema: {
      required: ['partnerId', 'phoneE164', 'creditsTotal', 'creditsRemaining', 'expiresAt'],
      properties: { creditsRemaining: { bsonType: ['int', 'long', 'double'], minimum: 0 } },
    },
    indexes: [
      { name: 'purchase_key_of_partner', key: { partnerId: 1, purchaseKey: 1 }, unique: true },
      { name: 'purchases_of_phone', key: { phoneE164: 1 } },
      { name: 'credits_of_customer', key: { partnerId: 1, phoneE164: 1, venueIds: 1, expiresAt: 1 } },
    ],
  },
];
