// A killed worker's delivery is taken over within its timeout of 10 s plus the first two figures below: 18 s of the
// promised 20.

/** How much longer than a send the job is locked; a live worker renews the lock. */
export const LOCK_MARGIN_MS = 6000;
/** How often workers search for jobs with an expired lock. */
export const STALLED_CHECK_MS = 2000;
/** How much longer than a send a worker holds the row. The row is free before the lock expires. */
export const LEASE_MARGIN_MS = 5000;
