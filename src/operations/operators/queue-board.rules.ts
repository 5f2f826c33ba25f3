import { ONE_LINE } from '../../platform/unseen-text.rules.ts';
import type { BoardCall } from '../audit/audit-trail.ts';

/** The calls of Bull Board that operators may make; each can be undone. */
const ALLOWED = new Set([
  'put /api/queues/resume',
  'put /api/queues/:queueName/pause',
  'put /api/queues/:queueName/resume',
  'put /api/queues/:queueName/:jobId/retry',
  'put /api/queues/:queueName/:jobId/clean',
]);

/**
 * Whether the board may make this call: reading, pausing and resuming a queue, removing one job (sweeps find due work)
 * and retrying failed ones. Other calls could stop the service and are not needed. Pausing all queues at once is
 * rejected, because each pause has its own reason. Calls that a later version of the board adds are rejected too.
 */
export function isAllowedOnBoard(method: string, route: string, params: Record<string, unknown>): boolean {
  if (method === 'get') return true;
  // Never pause the dead-letter queue: a job shows why it is there only once it has run and failed.
  if (isPause(method, route) && params['queueName'] === 'dead-letter') return false;
  if (route === '/api/queues/:queueName/retry/:queueStatus') return params['queueStatus'] === 'failed';
  return ALLOWED.has(`${method} ${route}`);
}

const PAUSE_OR_RESUME = /^\/queues\/api\/queues\/(?:([^/]+)\/)?(pause|resume)\/?$/i;

/** The action of a call to the board. A call without a queue in its path concerns all `queueNames`. */
export function boardCallOf(
  { method, path, reason }: { method: string; path: string; reason: string | undefined },
  queueNames: readonly string[],
): BoardCall {
  const [match, queue, verb] = method === 'PUT' ? (PAUSE_OR_RESUME.exec(path) ?? []) : [];
  if (match === undefined) return { action: 'useQueueBoard', subjects: [], reason: null };
  const subjects = queueNames.filter((name) => queue === undefined || name === decode(queue));
  return verb?.toLowerCase() === 'pause'
    ? { action: 'pauseQueue', subjects, reason: reasonIn(reason) }
    : { action: 'resumeQueue', subjects, reason: null };
}

const MAX_REASON = 200;

/** The percent-encoded reason in a header: one line of 1 to 200 characters, not blank; null if there is none. */
export function reasonIn(header: string | undefined): string | null {
  const reason = decode(header ?? '').trim();
  return reason !== '' && reason.length <= MAX_REASON && ONE_LINE.test(reason) ? reason : null;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

export function isPause(method: string, route: string): boolean {
  return method === 'put' && route.endsWith('/pause');
}

/** Words in paths of Bull Board that may appear in the log and the audit; other words may be secret. */
export const BOARD_WORDS: readonly string[] = [
  'queues queue api static redis stats metrics logs flow workers job-schedulers',
  'pause resume retry clean promote add empty obliterate run remove release',
  'update-data delay priority concurrency rate-limit remove-unprocessed-children',
  'active completed delayed failed paused prioritized waiting waiting-children',
].flatMap((words) => words.split(' '));
