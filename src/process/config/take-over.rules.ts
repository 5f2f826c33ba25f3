/** What a worker was doing that is killed is taken up by another within this time, which the service promises. */
const TAKEN_UP_WITHIN_MS = 20_000;

/** For how much longer than a send may last its job is locked for the worker that sends; a live one renews the lock. */
export const LOCK_MARGIN_MS = 6000;
/** How often workers look for jobs whose lock has run out. */
export const STALLED_CHECK_MS = 2000;
/** How much longer than the send a worker has the delivery's row; shorter than the lock, so that who takes up the job finds it free. */
export const LEASE_MARGIN_MS = 5000;

/** The longest timeout of a send with which the promise is kept. */
export const MAX_WEBHOOK_TIMEOUT_MS = TAKEN_UP_WITHIN_MS - LOCK_MARGIN_MS - STALLED_CHECK_MS;
