import type { Db } from '../../platform/mongo.ts';
import {
  collectionOf,
  definitionOf,
  MIXED,
  NULLABLE,
  OPTIONAL,
  REQUIRED,
  schemaOf,
} from '../../platform/mongo-schema.ts';
import { ALERT_KINDS, type AlertRow } from './alert-types.ts';

/** The state of alerting, besides the alerts: the lock to post, the number of dead letters, and recent wrong keys. */
type AlertState = {
  _id: 'post' | 'dead-letters' | `wrong-keys:${string}`;
  /** For `post`. */
  holder?: string;
  until?: Date;
  failures?: number;
  /** For `dead-letters`. */
  total?: number;
  /** For `wrong-keys`: the count in the minute that begins at `minute`, and in the minute before. */
  minute?: Date;
  count?: number;
  previous?: number;
};

const KEPT_SECONDS = 90 * 86_400;

const alertSchema = schemaOf<AlertRow>('alerts', {
  _id: REQUIRED.text,
  kind: { type: String, enum: ALERT_KINDS, required: true },
  subject: NULLABLE.text,
  partnerId: NULLABLE.text,
  isOpen: REQUIRED.flag,
  raisedAt: REQUIRED.date,
  lastSeenAt: REQUIRED.date,
  resolvedAt: NULLABLE.date,
  notifiedAt: NULLABLE.date,
  count: REQUIRED.number,
  since: NULLABLE.date,
  deliveryIds: REQUIRED.texts,
  cause: OPTIONAL.text,
  missingIndexes: REQUIRED.texts,
  pause: MIXED,
  revision: REQUIRED.number,
  isUntold: OPTIONAL.flag,
  toldCount: REQUIRED.number,
});
alertSchema.index(
  { kind: 1, subject: 1 },
  { name: 'one_open_alert_per_subject', unique: true, partialFilterExpression: { isOpen: true } },
);
alertSchema.index({ raisedAt: -1, _id: -1 }, { name: 'alerts_newest' });
alertSchema.index({ isOpen: 1, raisedAt: -1, _id: -1 }, { name: 'alerts_by_status' });
alertSchema.index({ isUntold: 1 }, { name: 'untold_alerts', partialFilterExpression: { isUntold: true } });
alertSchema.index({ resolvedAt: 1 }, { name: 'alerts_expire', expireAfterSeconds: KEPT_SECONDS });

const alertStateSchema = schemaOf<AlertState>('alert_state', {
  _id: REQUIRED.text,
  holder: OPTIONAL.text,
  until: OPTIONAL.date,
  failures: OPTIONAL.number,
  total: OPTIONAL.number,
  minute: OPTIONAL.date,
  count: OPTIONAL.number,
  previous: OPTIONAL.number,
});

export const alertCollection = (db: Db) => collectionOf(db, alertSchema);
export const alertStateCollection = (db: Db) => collectionOf(db, alertStateSchema);

export const ALERT_COLLECTIONS = [definitionOf(alertSchema), definitionOf(alertStateSchema)];
