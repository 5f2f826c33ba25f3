import type { Model } from 'mongoose';
import type { Db } from '../platform/mongo.ts';
import {
  collectionOf,
  definitionOf,
  mixed,
  modelOf,
  NULL_OR_ABSENT,
  NULLABLE,
  REQUIRED,
  type RowOf,
  schemaOf,
} from '../platform/mongo-schema.ts';
import type { CertificationReport } from './certification.rules.ts';

export type CertificationSummary = {
  integration: string;
  verdict: CertificationReport['verdict'];
  passed: number;
  notTried: number;
  suiteVersion: string;
  endedAt: Date;
};

export type PartnerRow = RowOf<typeof partnerSchema>;

const partnerSchema = schemaOf('partners', {
  _id: REQUIRED.text,
  name: REQUIRED.text,
  contactEmail: REQUIRED.text,
  status: { type: String, enum: ['active', 'suspended'], required: true },
  certifiedAt: NULLABLE.date,
  /** The operator's notes at the certification; absent in rows of older releases. */
  certificationNotes: NULL_OR_ABSENT.text,
  /** The summary of the newest attached report, which is in `certification_reports`. */
  certificationSummary: mixed<CertificationSummary>(),
  createdAt: REQUIRED.date,
});

export type CertificationReportRow = RowOf<typeof reportSchema>;

const reportSchema = schemaOf('certification_reports', {
  _id: REQUIRED.text,
  report: { ...mixed<CertificationReport>(), required: true },
  attachedAt: REQUIRED.date,
});

/** `hash` is the SHA-256 of the whole key in hex; the key itself is not stored. `prefix` is public. */
export type ApiKeyRow = RowOf<typeof apiKeySchema>;

const apiKeySchema = schemaOf('api_keys', {
  _id: REQUIRED.text,
  partnerId: REQUIRED.text,
  prefix: REQUIRED.text,
  hash: REQUIRED.text,
  label: NULLABLE.text,
  createdAt: REQUIRED.date,
  expiresAt: NULLABLE.date,
  revokedAt: NULLABLE.date,
  /** When the key was last used, to the minute. */
  lastUsedAt: NULL_OR_ABSENT.date,
});
apiKeySchema.index({ prefix: 1 }, { name: 'key_by_prefix', unique: true });
apiKeySchema.index({ partnerId: 1 }, { name: 'keys_of_partner' });

export const grantIdOf = (partnerId: string, venueId: string): string => `${partnerId}:${venueId}`;

/** The partner may sell at the venue. `_id` is `<partnerId>:<venueId>`. */
const grantSchema = schemaOf('grants', { _id: REQUIRED.text, partnerId: REQUIRED.text, venueId: REQUIRED.text });
grantSchema.index({ partnerId: 1 }, { name: 'grants_of_partner' });
grantSchema.index({ venueId: 1 }, { name: 'grants_of_venue' });

export const partnerModel = (db: Db): Model<PartnerRow> => modelOf(db, partnerSchema);
export const apiKeyModel = (db: Db): Model<ApiKeyRow> => modelOf(db, apiKeySchema);

export const partnerCollection = (db: Db) => collectionOf(db, partnerSchema);
export const certificationReportCollection = (db: Db) => collectionOf(db, reportSchema);
export const apiKeyCollection = (db: Db) => collectionOf(db, apiKeySchema);
export const grantCollection = (db: Db) => collectionOf(db, grantSchema);

export const PARTNER_COLLECTIONS = [partnerSchema, reportSchema, apiKeySchema, grantSchema].map((schema) =>
  definitionOf(schema),
);
