/**
 * `dead_letter` and `endpoint_failing` are about one subscription; `queue_paused`, `worker_absent` and
 * `job_dead_lettered` about one queue; `wrong_keys` about one listener.
 */
export const ALERT_KINDS = [
  'dead_letter',
  'endpoint_failing',
  'event_undispatched',
  'hold_overdue',
  'delivery_overdue',
  'queue_paused',
  'worker_absent',
  'job_dead_lettered',
  'wrong_keys',
  'guard_index_absent',
  'redis_volatile',
] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

/** The operator's key that paused the queue, and the reason given. */
type Pause = { by: string | null; reason: string };

/** A condition that an operator must know of; the row stays for 90 days after its end. Contains no customer data. */
export type AlertRow = {
  _id: string;
  kind: AlertKind;
  /** The id of the subscription, or the name of the queue or listener; null for the whole service. */
  subject: string | null;
  partnerId: string | null;
  isOpen: boolean;
  raisedAt: Date;
  lastSeenAt: Date;
  resolvedAt: Date | null;
  /** When ALERT_URL last accepted the alert. */
  notifiedAt: Date | null;
  /** New dead letters, failures in a row, waiting rows, given-up jobs, missing indexes or wrong keys; else 1. */
  count: number;
  /** Since when the condition holds, if known. */
  since: Date | null;
  /** The latest five dead letters. */
  deliveryIds: string[];
  /** Why the last attempt of the latest dead letter failed; missing in other alerts and older rows. */
  cause?: string | null;
  missingIndexes: string[];
  /** A queue's pause according to the audit; null if unknown, missing in older rows. */
  pause?: Pause | null;
  /** Grows with each change that operators are notified about. */
  revision: number;
  /** Notification pending: present until ALERT_URL has accepted the latest revision. */
  isUntold?: true;
  /** `count` at the latest notification. */
  toldCount: number;
};

export type Condition = Pick<
  AlertRow,
  'kind' | 'subject' | 'partnerId' | 'count' | 'since' | 'missingIndexes' | 'pause'
>;
