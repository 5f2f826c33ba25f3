import type { Model } from 'mongoose';
import type { Db } from '../../platform/mongo.ts';
import {
  collectionOf,
  definitionOf,
  mixed,
  modelOf,
  NULL_OR_ABSENT,
  NULLABLE,
  OPTIONAL,
  oneOf,
  REQUIRED,
  type RowOf,
  schemaOf,
} from '../../platform/mongo-schema.ts';

/** One attempt of an operator to change something (ADR 0018). Contains no secret and no customer's data. */
export type AuditRow = RowOf<typeof auditSchema>;

const auditSchema = schemaOf('audit', {
  _id: REQUIRED.text,
  at: REQUIRED.date,
  /** How the operator was identified; null if a key was wrong. */
  who: { ...oneOf<'api-key' | 'session'>(), default: null },
  /** Names the operator's key. This and the following optional fields are missing in older rows. */
  keyId: NULL_OR_ABSENT.text,
  /** The caller's address; null if the row stands for many callers. */
  address: NULL_OR_ABSENT.text,
  /** How many wrong keys the row stands for; 1 for everything else. */
  attempts: { type: Number, default: 1 },
  /** The ids of the objects that the action concerns. */
  subjects: { type: [String], default: [] },
  /** The operationId; or `signIn`, `signOut`, `wrongKey`, `pauseQueue`, `resumeQueue`, `useQueueBoard`, `unknown`. */
  action: REQUIRED.text,
  method: REQUIRED.text,
  path: REQUIRED.text,
  /** Why a queue was paused. */
  reason: NULL_OR_ABSENT.text,
  /** The caller may have chosen it. */
  requestId: REQUIRED.text,
  /** Chosen by this service. */
  serverRequestId: OPTIONAL.text,
  /** The status of the response; null before it, and for good if the process ended first. */
  status: NULLABLE.number,
  errorCode: NULLABLE.text,
  before: { ...mixed<unknown>(), default: null },
  after: { ...mixed<unknown>(), default: null },
});
auditSchema.index({ at: -1, _id: -1 }, { name: 'audit_newest' });
auditSchema.index({ action: 1, at: -1, _id: -1 }, { name: 'audit_of_action' });
auditSchema.index({ subjects: 1, at: -1, _id: -1 }, { name: 'audit_of_subject' });
auditSchema.index({ address: 1, at: -1, _id: -1 }, { name: 'audit_of_address' });
auditSchema.index({ who: 1, at: -1, _id: -1 }, { name: 'audit_of_who' });

export const auditModel = (db: Db): Model<AuditRow> => modelOf(db, auditSchema);

export const auditCollection = (db: Db) => collectionOf(db, auditSchema);

export const AUDIT = definitionOf(auditSchema, { required: ['who', 'status'] });
