import type { InferRawDocType, Model } from 'mongoose';
import type { Db } from '../platform/mongo.ts';
import { collectionOf, definitionOf, MIXED, modelOf, NULLABLE, REQUIRED, schemaOf } from '../platform/mongo-schema.ts';
import type { CertificationReport } from './certification.rules.ts';

export type PartnerRow = {
  _id: string;
  name: string;
  contactEmail: string;
  status: 'active' | 'suspended';
  certifiedAt: Date | null;
  /** The operator's notes at the certification; absent in rows of older releases. */
  certificationNotes?: string | null;
  /** The summary of the newest attached report, which is in `certification_reports`. */
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
  /** When the key was last used, to the minute. */
  lastUsedAt?: Date | null;
};

export const grantIdOf = (partnerId: string, venueId: string): string => `${partnerId}:${venueId}`;

const partnerSchema = schemaOf<PartnerRow>('partners', {
  _id: REQUIRED.text,
  name: REQUIRED.text,
  contactEmail: REQUIRED.text,
  status: { type: String, enum: ['active', 'suspended'], required: true },
  certifiedAt: NULLABLE.date,
  certificationNotes: NULLABLE.text,
  certificationSummary: MIXED,
  createdAt: REQUIRED.date,
});

const reportSchema = schemaOf<CertificationReportRow>('certification_reports', {
  _id: REQUIRED.text,
  report: { ...MIXED, required: true },
  attachedAt: REQUIRED.date,
});

const apiKeySchema = schemaOf<ApiKeyRow>('api_keys', {
  _id: REQUIRED.text,
  partnerId: REQUIRED.text,
  prefix: REQUIRED.text,
  hash: REQUIRED.text,
  label: NULLABLE.text,
  createdAt: REQUIRED.date,
  expiresAt: NULLABLE.date,
  revokedAt: NULLABLE.date,
  lastUsedAt: NULLABLE.date,
});
apiKeySchema.index({ prefix: 1 }, { name: 'key_by_prefix', unique: true });
apiKeySchema.index({ partnerId: 1 }, { name: 'keys_of_partner' });

/** The partner may sell at the venue. `_id` is `<partnerId>:<venueId>`. */
const GRANT = { _id: REQUIRED.text, partnerId: REQUIRED.text, venueId: REQUIRED.text } as const;

const grantSchema = schemaOf<InferRawDocType<typeof GRANT>>('grants', GRANT);
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
