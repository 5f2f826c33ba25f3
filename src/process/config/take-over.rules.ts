// Another worker takes over a killed worker's delivery after at most WEBHOOK_TIMEOUT_MS (10 s), JOB_LOCK_MARGIN_MS and
// STALLED_CHECK_MS together: 18 s, less than the promised 20 s.

/** The lock of a job lasts this much longer than the timeout of a send. A live worker renews the lock. */
export const JOB_LOCK_MARGIN_MS = 6000;
/** How often workers search for jobs with an expired lock. */
export const STALLED_CHECK_MS = 2000;
/** The lock of a delivery's row lasts this much longer than the timeout of a send, but ends before the job's lock. */
export const ROW_LOCK_MARGIN_MS = 5000;
