import { ONE_LINE } from '../../platform/unseen-text.rules.ts';

/** What an operator may do with the queues, as Bull Board names its calls; each is undone by itself or by its opposite. */
const ALLOWED = new Set([
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
 * needed, and each is a click away from halting the service. Nor is pausing all queues at once: each pause has its own reason, and
 * the board offers no way back from it while the dead letters, a view, cannot be paused. A call that a later version of the board adds is rejected too.
 */
export function isAllowedOnBoard(method: string, route: string, params: Record<string, unknown>): boolean {
  if (method === 'get') return true;
  if (route === '/api/queues/:queueName/retry/:queueStatus') return params['queueStatus'] === 'failed';
  return ALLOWED.has(`${method} ${route}`);
}

/** What a call of the board is in the audit; `reason` is null where none was given, or none that is fit to be kept. */
export type BoardCall = {
  action: 'pauseQueue' | 'resumeQueue' | 'useQueueBoard';
  /** Names of queues. */
  subjects: string[];
  reason: string | null;
};

const PAUSING = /^\/queues\/api\/queues\/(?:([^/]+)\/)?(pause|resume)\/?$/i;

/** What a call to the board does, by its method, its path as it was sent and the header with the reason; all of `queueNames` where it names none. */
export function boardCallOf(
  { method, path, reason }: { method: string; path: string; reason: string | undefined },
  queueNames: readonly string[],
): BoardCall {
  const [matched, queue, what] = method === 'PUT' ? (PAUSING.exec(path) ?? []) : [];
  if (matched === undefined) return { action: 'useQueueBoard', subjects: [], reason: null };
  const subjects = queueNames.filter((name) => queue === undefined || name === decoded(queue));
  const pauses = what?.toLowerCase() === 'pause';
  return {
    ...{ action: pauses ? 'pauseQueue' : 'resumeQueue', subjects },
    reason: pauses ? reasonIn(reason) : null,
  };
}

const MAX_REASON = 200;

/** The reason that a header has, percent-encoded: one line of up to 200 characters, not blank. Null where it has none such. */
export function reasonIn(header: string | undefined): string | null {
  const reason = decoded(header ?? '').trim();
  return reason !== '' && reason.length <= MAX_REASON && ONE_LINE.test(reason) ? reason : null;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

/** Whether it is one of the calls that halt work: they want a reason. */
export function isPause(method: string, route: string): boolean {
  return method === 'put' && route.endsWith('/pause');
}

/** The words of the board's paths, which the log and the audit keep, whether or not the call was allowed. */
export const BOARD_WORDS: readonly string[] = [
  'queues queue api static redis stats metrics logs flow workers job-schedulers',
  'pause resume retry clean promote add empty obliterate run remove release',
  'update-data delay priority concurrency rate-limit remove-unprocessed-children',
  'active completed delayed failed paused prioritized waiting waiting-children',
].flatMap((words) => words.split(' '));
