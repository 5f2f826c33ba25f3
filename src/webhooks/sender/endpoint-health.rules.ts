/**
 * The two words for the endpoint of a subscription whose deliveries fail:
 *
 * - **failing**: its last attempt failed. It is so since the first failure after its last success (`failingSince`). When it has
 *   been failing for an hour, operators are alerted (`endpoint_failing`).
 * - **unhealthy**: it is failing, and by now with this many failures in a row (`consecutiveFailures`). It gets few concurrent sends
 *   (`WEBHOOK_UNHEALTHY_CONCURRENCY`), and what therefore waits for it is not counted as overdue.
 *
 * One success ends both.
 */
export const UNHEALTHY_AFTER_FAILURES = 3;

/** Whether an endpoint with this many failures in a row is unhealthy. */
export function isUnhealthy(consecutiveFailures: number): boolean {
  return consecutiveFailures >= UNHEALTHY_AFTER_FAILURES;
}
