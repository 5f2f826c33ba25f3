/** What an operator may do with the queues, as Bull Board names its calls; each is undone by itself or by its opposite. */
const ALLOWED = new Set([
  'put /api/queues/pause',
  'put /api/queues/resume',
  'put /api/queues/:queueName/pause',
  'put /api/queues/:queueName/resume',
  'put /api/queues/:queueName/:jobId/retry',
  'put /api/queues/:queueName/:jobId/clean',
]);

/**
 * Whether the board may make this call. Reading is; of what changes anything, pausing and resuming, removing one job (what is
 * still due is found again by the sweeps) and retrying failed ones (of a delivery: one more attempt each). Obliterating or
 * emptying a queue, cleaning a state of it, adding jobs and changing their data, times and limits are not: none of them is
 * needed, and each is a click away from halting the service. A call that a later version of the board adds is rejected too.
 */
export function isAllowedOnBoard(method: string, route: string, params: Record<string, unknown>): boolean {
  if (method === 'get') return true;
  if (route === '/api/queues/:queueName/retry/:queueStatus') return params['queueStatus'] === 'failed';
  return ALLOWED.has(`${method} ${route}`);
}

/** The words of the board's paths, which the log and the audit keep, whether or not the call was allowed. */
export const BOARD_WORDS: readonly string[] = [
  'queues queue api static redis stats metrics logs flow workers job-schedulers',
  'pause resume retry clean promote add empty obliterate run remove release',
  'update-data delay priority concurrency rate-limit remove-unprocessed-children',
  'active completed delayed failed paused prioritized waiting waiting-children',
].flatMap((words) => words.split(' '));
