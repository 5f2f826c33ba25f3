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
