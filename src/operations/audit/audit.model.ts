import type { Model } from 'mongoose';
import { Schema } from 'mongoose';
import type { CollectionDefinition } from '../../platform/ensure-collection.ts';
import type { Db } from '../../platform/mongo.ts';
import { collectionOf, modelOf } from '../../platform/mongo.ts';

/** One attempt of an operator to change something (ADR 0018). It holds no secret and no customer's data. */
export type AuditRow = {
  _id: string;
  at: Date;
  /** How the operator was known; null where a key was wrong. */
  who: 'api-key' | 'session' | null;
  /** Which operator's key it was, or signed the session in. This and what follows: absent in what older releases wrote. */
  keyId?: string | null;
  /** Of whoever called; null where many called for whom one row stands. */
  address?: string | null;
  /** How many wrong keys the row stands for; 1 of everything else. */
  attempts?: number;
  /** Ids of what it was about, by which it is found. */
  subjects?: string[];
  /** The operationId of the route, or `signIn`, `signOut`, `wrongKey`, `pauseQueue`, `resumeQueue`, `useQueueBoard`; `unknown` where there is no such route. */
  action: string;
  method: string;
  /** Without the query. */
  path: string;
  /** Why, of an action that asks for a reason about no customer: of the pause of a queue. */
  reason?: string | null;
  /** As the caller may have chosen it. */
  requestId: string;
  /** As this service chose it. */
  serverRequestId?: string;
  /** Of the response; null until then, and for good where the process ended in between. */
  status: number | null;
  errorCode: string | null;
  /** What the action was about, as operators see it. */
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

/** The collection as the driver has it, for the listing. */
export const auditCollection = (db: Db) => collectionOf(auditModel(db));

export const AUDIT: CollectionDefinition = {
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
