/**
 * An endpoint is **failing** from its first failure after a success (`failingSince`); after an hour operators are
 * alerted (`endpoint_failing`). It is **unhealthy** after this many failures in a row (`consecutiveFailures`): it gets
 * few concurrent sends (`WEBHOOK_UNHEALTHY_CONCURRENCY`), and deliveries that wait for it do not count as overdue. One
 * success ends both states.
 */
export const UNHEALTHY_AFTER_FAILURES = 3;

/** Whether an endpoint with this many failures in a row is unhealthy. */
export function isUnhealthy(consecutiveFailures: number): boolean {
  return consecutiveFailures >= UNHEALTHY_AFTER_FAILURES;
}
