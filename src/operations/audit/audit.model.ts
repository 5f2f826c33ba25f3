import { type Model, Schema } from 'mongoose';
import type { CollectionDefinition } from '../../platform/ensure-collection.ts';
import { collectionOf, type Db, modelOf } from '../../platform/mongo.ts';

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
  /** The status of the response; null until then, and for good if the process ended in between. */
  status: number | null;
  errorCode: string | null;
  before: unknown;
  after: unknown;
};

const auditSchema = new Schema<AuditRow>(
  {
    _id: { type: String, required: true },
    at: { type: Date, required: true },
    who: { type: String, default: null },
    keyId: { type: String, default: null },
    address: { type: String, default: null },
    attempts: { type: Number, default: 1 },
    subjects: { type: [String], default: [] },
    action: { type: String, required: true },
    method: { type: String, required: true },
    path: { type: String, required: true },
    reason: { type: String, default: null },
    requestId: { type: String, required: true },
    serverRequestId: { type: String },
    status: { type: Number, default: null },
    errorCode: { type: String, default: null },
    before: { type: Schema.Types.Mixed, default: null },
    after: { type: Schema.Types.Mixed, default: null },
  },
  { collection: 'audit', versionKey: false, minimize: false },
);

export const auditModel = (db: Db): Model<AuditRow> => modelOf(db, 'Audit', auditSchema);

export const auditCollection = (db: Db) => collectionOf(auditModel(db));

export const AUDIT: CollectionDefinition<AuditRow> = {
  name: 'audit',
  jsonSchema: { required: ['at', 'who', 'action', 'method', 'path', 'requestId', 'status'] },
  indexes: [
    { name: 'audit_newest', key: { at: -1, _id: -1 } },
    { name: 'audit_of_action', key: { action: 1, at: -1, _id: -1 } },
    { name: 'audit_of_subject', key: { subjects: 1, at: -1, _id: -1 } },
    { name: 'audit_of_address', key: { address: 1, at: -1, _id: -1 } },
    { name: 'audit_of_who', key: { who: 1, at: -1, _id: -1 } },
  ],
};
