import type { CollectionDefinition } from '../../platform/ensure-collection.ts';
import { type Db, openCollection } from '../../platform/mongo.ts';
import { ALERT_KINDS, type AlertRow } from './alert-types.ts';

export const alertCollection = (db: Db) => openCollection<AlertRow>(db, 'alerts');

/** The state of alerting beside the alerts: the lock to post, the number of dead letters, and recent wrong keys. */
type AlertState = {
  _id: 'post' | 'dead-letters' | `wrong-keys:${string}`;
  /** For `post`. */
  holder?: string;
  until?: Date;
  failures?: number;
  /** For `dead-letters`. */
  total?: number;
  /** For `wrong-keys`: the count in the minute that began then, and in the one before. */
  minute?: Date;
  count?: number;
  previous?: number;
};

export const alertStateCollection = (db: Db) => openCollection<AlertState>(db, 'alert_state');

const KEPT_SECONDS = 90 * 86_400;

export const ALERT_COLLECTIONS: [CollectionDefinition<AlertRow>, CollectionDefinition<AlertState>] = [
  {
    name: 'alerts',
    jsonSchema: {
      required: ['kind', 'isOpen', 'raisedAt', 'lastSeenAt', 'revision'],
      properties: { kind: { enum: [...ALERT_KINDS] }, isOpen: { bsonType: 'bool' } },
    },
    indexes: [
      {
        name: 'one_open_alert_per_subject',
        key: { kind: 1, subject: 1 },
        unique: true,
        partialFilterExpression: { isOpen: true },
      },
      { name: 'alerts_newest', key: { raisedAt: -1, _id: -1 } },
      { name: 'alerts_by_status', key: { isOpen: 1, raisedAt: -1, _id: -1 } },
      { name: 'untold_alerts', key: { isUntold: 1 }, partialFilterExpression: { isUntold: true } },
      { name: 'alerts_expire', key: { resolvedAt: 1 }, expireAfterSeconds: KEPT_SECONDS },
    ],
  },
  { name: 'alert_state', indexes: [] },
];
