import { type Model, Schema } from 'mongoose';
import type { CollectionDefinition } from '../platform/ensure-collection.ts';
import { collectionOf, type Db, modelOf, openCollection } from '../platform/mongo.ts';
import type { CertificationReport } from './certification.rules.ts';

export type PartnerRow = {
  _id: string;
  name: string;
  contactEmail: string;
  status: 'active' | 'suspended';
  certifiedAt: Date | null;
  /** The operator's notes at the certification; absent in rows of older releases. */
  certificationNotes?: string | null;
  /** From the newest attached report, which is in `certification_reports`. */
  certificationSummary?: CertificationSummary;
  createdAt: Date;
};

export type CertificationSummary = {
  integration: string;
  verdict: CertificationReport['verdict'];
  passed: number;
  notTried: number;
  suiteVersion: string;
  endedAt: Date;
};

export type CertificationReportRow = { _id: string; report: CertificationReport; attachedAt: Date };

/** `hash` is the SHA-256 of the whole key in hex; the key itself is not stored. `prefix` is public. */
export type ApiKeyRow = {
  _id: string;
  partnerId: string;
  prefix: string;
  hash: string;
  label: string | null;
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
  /** When it last opened the interface, to a minute. */
  lastUsedAt?: Date | null;
};

export const grantIdOf = (partnerId: string, venueId: string): string => `${partnerId}:${venueId}`;

/** This partner may sell at this venue. `_id` is `<partnerId>:<venueId>`. */
export type GrantRow = { _id: string; partnerId: string; venueId: string };

const partnerSchema = new Schema<PartnerRow>(
  {
    _id: { type: String, required: true },
    name: { type: String, required: true },
    contactEmail: { type: String, required: true },
    status: { type: String, enum: ['active', 'suspended'], required: true },
    certifiedAt: { type: Date, default: null },
    certificationNotes: { type: String, default: null },
    certificationSummary: { type: Schema.Types.Mixed },
    createdAt: { type: Date, required: true },
  },
  { collection: 'partners', versionKey: false },
);

const apiKeySchema = new Schema<ApiKeyRow>(
  {
    _id: { type: String, required: true },
    partnerId: { type: String, required: true },
    prefix: { type: String, required: true },
    hash: { type: String, required: true },
    label: { type: String, default: null },
    createdAt: { type: Date, required: true },
    expiresAt: { type: Date, default: null },
    revokedAt: { type: Date, default: null },
    lastUsedAt: { type: Date, default: null },
  },
  { collection: 'api_keys', versionKey: false },
);

const grantSchema = new Schema<GrantRow>(
  {
    _id: { type: String, required: true },
    partnerId: { type: String, required: true },
    venueId: { type: String, required: true },
  },
  { collection: 'grants', versionKey: false },
);

export const partnerModel = (db: Db): Model<PartnerRow> => modelOf(db, 'Partner', partnerSchema);

export const partnerCollection = (db: Db) => collectionOf(partnerModel(db));

export const certificationReportCollection = (db: Db) =>
  openCollection<CertificationReportRow>(db, 'certification_reports');

export const apiKeyModel = (db: Db): Model<ApiKeyRow> => modelOf(db, 'ApiKey', apiKeySchema);

export const apiKeyCollection = (db: Db) => collectionOf(apiKeyModel(db));

const grantModel = (db: Db): Model<GrantRow> => modelOf(db, 'Grant', grantSchema);

export const grantCollection = (db: Db) => collectionOf(grantModel(db));

export const PARTNER_COLLECTIONS: [
  CollectionDefinition<PartnerRow>,
  CollectionDefinition<CertificationReportRow>,
  CollectionDefinition<ApiKeyRow>,
  CollectionDefinition<GrantRow>,
] = [
  {
    name: 'partners',
    jsonSchema: { required: ['name', 'status'], properties: { status: { enum: ['active', 'suspended'] } } },
    indexes: [],
  },
  { name: 'certification_reports', indexes: [] },
  {
    name: 'api_keys',
    indexes: [
      { name: 'key_by_prefix', key: { prefix: 1 }, unique: true },
      { name: 'keys_of_partner', key: { partnerId: 1 } },
    ],
  },
  {
    name: 'grants',
    indexes: [
      { name: 'grants_of_partner', key: { partnerId: 1 } },
      { name: 'grants_of_venue', key: { venueId: 1 } },
    ],
  },
];
