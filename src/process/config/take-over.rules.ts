/** The service promises that the work of a killed worker is taken over within this time. */
const TAKEN_UP_WITHIN_MS = 20_000;

/** How much longer than a send its job is locked; a live worker renews the lock. */
export const LOCK_MARGIN_MS = 6000;
/** How often workers look for jobs whose lock has expired. */
export const STALLED_CHECK_MS = 2000;
/** How much longer than a send a worker holds the row: shorter than the lock, so the next worker finds it free. */
export const LEASE_MARGIN_MS = 5000;

export const MAX_WEBHOOK_TIMEOUT_MS = TAKEN_UP_WITHIN_MS - LOCK_MARGIN_MS - STALLED_CHECK_MS;
