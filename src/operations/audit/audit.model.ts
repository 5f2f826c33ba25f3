import type { Model } from 'mongoose';
import type { Db } from '../../platform/mongo.ts';
import {
  collectionOf,
  definitionOf,
  MIXED,
  modelOf,
  NULLABLE,
  OPTIONAL,
  REQUIRED,
  schemaOf,
} from '../../platform/mongo-schema.ts';

/** One attempt of an operator to change something (ADR 0018). Contains no secret and no customer's data. */
export type AuditRow = {
  _id: string;
  at: Date;
  /** How the operator was identified; null if a key was wrong. */
  who: 'api-key' | 'session' | null;
  /** Names the operator's key. This and the following optional fields are missing in older rows. */
  keyId?: string | null;
  /** The caller's address; null if the row stands for many callers. */
  address?: string | null;
  /** How many wrong keys the row stands for; 1 for everything else. */
  attempts?: number;
  /** The ids of the objects that the action concerns. */
  subjects?: string[];
  /** The operationId; or `signIn`, `signOut`, `wrongKey`, `pauseQueue`, `resumeQueue`, `useQueueBoard`, `unknown`. */
  action: string;
  method: string;
  path: string;
  /** Why a queue was paused. */
  reason?: string | null;
  /** The caller may have chosen it. */
  requestId: string;
  /** Chosen by this service. */
  serverRequestId?: string;
  /** The status of the response; null before it, and for good if the process ended first. */
  status: number | null;
  errorCode: string | null;
  before: unknown;
  after: unknown;
};

const auditSchema = schemaOf<AuditRow>('audit', {
  _id: REQUIRED.text,
  at: REQUIRED.date,
  who: NULLABLE.text,
  keyId: NULLABLE.text,
  address: NULLABLE.text,
  attempts: { type: Number, default: 1 },
  subjects: { type: [String], default: [] },
  action: REQUIRED.text,
  method: REQUIRED.text,
  path: REQUIRED.text,
  reason: NULLABLE.text,
  requestId: REQUIRED.text,
  serverRequestId: OPTIONAL.text,
  status: NULLABLE.number,
  errorCode: NULLABLE.text,
  before: { ...MIXED, default: null },
  after: { ...MIXED, default: null },
});
auditSchema.index({ at: -1, _id: -1 }, { name: 'audit_newest' });
auditSchema.index({ action: 1, at: -1, _id: -1 }, { name: 'audit_of_action' });
auditSchema.index({ subjects: 1, at: -1, _id: -1 }, { name: 'audit_of_subject' });
auditSchema.index({ address: 1, at: -1, _id: -1 }, { name: 'audit_of_address' });
auditSchema.index({ who: 1, at: -1, _id: -1 }, { name: 'audit_of_who' });

export const auditModel = (db: Db): Model<AuditRow> => modelOf(db, auditSchema);

export const auditCollection = (db: Db) => collectionOf(db, auditSchema);

export const AUDIT = definitionOf(auditSchema, { required: ['who', 'status'] });
