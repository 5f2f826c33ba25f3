/**
 * What operators are alerted of. `dead_letter` and `endpoint_failing` are about one subscription each, `queue_paused` and
 * `worker_absent` about one queue each, `wrong_keys` about one listener.
 */
export const ALERT_KINDS = [
  'dead_letter',
  'endpoint_failing',
  'event_undispatched',
  'hold_overdue',
  'delivery_overdue',
  'queue_paused',
  'worker_absent',
  'wrong_keys',
  'guard_index_absent',
] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

/** Which operator's key paused it, and why, in the operator's words. */
export type Pause = { by: string | null; reason: string };

/** One condition, from when it is noticed until it has been gone for a while: ids and figures, nothing of a customer. */
export type AlertRow = {
  _id: string;
  kind: AlertKind;
  /** The id of the subscription, or the name of the queue or the listener that it is about; null where it is about the whole service. */
  subject: string | null;
  /** The subscription's partner. */
  partnerId: string | null;
  isOpen: boolean;
  raisedAt: Date;
  lastSeenAt: Date;
  resolvedAt: Date | null;
  /** When ALERT_URL accepted it last. */
  notifiedAt: Date | null;
  /** Dead letters since it was raised, failures in a row, what waits (1 of a queue), absent indexes, or wrong keys. */
  count: number;
  /** Since when the condition holds, where that is known. */
  since: Date | null;
  /** The latest few dead letters. */
  deliveryIds: string[];
  /** Why the last attempt of the latest failed; absent in other alerts, and in what older releases wrote. */
  cause?: string | null;
  missingIndexes: string[];
  /** Of a queue that an operator has paused, as the audit has it; null where it has not, absent in what older releases wrote. */
  pause?: Pause | null;
  /** Grows with each change that operators are notified of. */
  revision: number;
  /** Notification pending: present until ALERT_URL has accepted the latest revision. */
  isUntold?: true;
  /** `count` at the latest notification. */
  toldCount: number;
};

/** A condition that a sweep found. */
export type Condition = Pick<
  AlertRow,
  'kind' | 'subject' | 'partnerId' | 'count' | 'since' | 'missingIndexes' | 'pause'
>;
