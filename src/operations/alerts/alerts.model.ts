import type { Db } from '../../platform/mongo.ts';
import {
  collectionOf,
  definitionOf,
  mixed,
  NULL_OR_ABSENT,
  NULLABLE,
  OPTIONAL,
  oneOf,
  REQUIRED,
  type RowOf,
  schemaOf,
} from '../../platform/mongo-schema.ts';
import { ALERT_KINDS } from './alert-types.ts';

/** The operator's key that paused the queue, and the reason given. */
type Pause = { by: string | null; reason: string };

const KEPT_SECONDS = 90 * 86_400;

/** A condition that an operator must know of; the row stays for 90 days after its end. Contains no customer data. */
export type AlertRow = RowOf<typeof alertSchema>;

const alertSchema = schemaOf('alerts', {
  _id: REQUIRED.text,
  kind: { type: String, enum: ALERT_KINDS, required: true },
  /** The id of the subscription, or the name of the queue or listener; null for the whole service. */
  subject: NULLABLE.text,
  partnerId: NULLABLE.text,
  isOpen: REQUIRED.flag,
  raisedAt: REQUIRED.date,
  lastSeenAt: REQUIRED.date,
  resolvedAt: NULLABLE.date,
  /** When ALERT_URL last accepted the alert. */
  notifiedAt: NULLABLE.date,
  /** New dead letters, failures in a row, waiting rows, given-up jobs, missing indexes or wrong keys; else 1. */
  count: REQUIRED.number,
  /** Since when the condition holds, if known. */
  since: NULLABLE.date,
  /** The latest five dead letters. */
  deliveryIds: REQUIRED.texts,
  /** Why the last attempt of the latest dead letter failed; missing in other alerts and older rows. */
  cause: NULL_OR_ABSENT.text,
  missingIndexes: REQUIRED.texts,
  /** A queue's pause according to the audit; null if unknown, missing in older rows. */
  pause: mixed<Pause | null>(),
  /** Grows with each change that operators are notified about. */
  revision: REQUIRED.number,
  /** Notification pending: present until ALERT_URL has accepted the latest revision. */
  isUntold: OPTIONAL.mark,
  /** `count` at the latest notification. */
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

export type Condition = Pick<
  AlertRow,
  'kind' | 'subject' | 'partnerId' | 'count' | 'since' | 'missingIndexes' | 'pause'
>;

/** The state of alerting, besides the alerts: the lock to post, the number of dead letters, and recent wrong keys. */
const alertStateSchema = schemaOf('alert_state', {
  _id: { ...oneOf<'post' | 'dead-letters' | `wrong-keys:${string}`>(), required: true },
  /** For `post`. */
  holder: OPTIONAL.text,
  until: OPTIONAL.date,
  failures: OPTIONAL.number,
  /** For `dead-letters`. */
  total: OPTIONAL.number,
  /** For `wrong-keys`: the count in the minute that begins at `minute`, and in the minute before. */
  minute: OPTIONAL.date,
  count: OPTIONAL.number,
  previous: OPTIONAL.number,
});

export const alertCollection = (db: Db) => collectionOf(db, alertSchema);
export const alertStateCollection = (db: Db) => collectionOf(db, alertStateSchema);

export const ALERT_COLLECTIONS = [definitionOf(alertSchema), definitionOf(alertStateSchema)];
