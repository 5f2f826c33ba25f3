import { request } from 'undici';
import { withDeadline } from '../../platform/deadline.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Db } from '../../platform/mongo.ts';
import {
  acquirePostLock,
  dropStaleNotifications,
  findPendingNotifications,
  hasPendingNotification,
  markNotified,
  type PostLock,
  scheduleNextPost,
} from './alert-post.store.ts';
import { postBody } from './alert-text.rules.ts';

/**
 * The result of a POST; `error` is null if the POST was accepted, else a code. Messages are left out: they may quote
 * the address, which can be a secret.
 */
type PostOutcome = { status: number | null; error: string | null };

type PostDeps = {
  db: Db;
  log: Logger;
  config: { serviceMode: string };
  /** Posts once, ends within a few seconds and never rejects. */
  post: (body: string, stopping: AbortSignal) => Promise<PostOutcome>;
};

/** All processes together make at most one POST a minute, failed ones included. */
const POST_EVERY_MS = 60_000;
const MAX_BACKOFF_FACTOR = 10;
const MAX_ALERTS_PER_POST = 50;
const STALE_AFTER_MS = 86_400_000;

/**
 * Posts the alerts with a pending notification, up to 50 in one batch, if a minute has passed since the last attempt.
 * After each repeated failure the wait doubles, up to ten minutes. An alert that got no 2xx, or changed meanwhile, is
 * in the next batch: none is lost, and a receiver may get one twice.
 */
export async function postAlerts(deps: PostDeps, stopping: AbortSignal): Promise<void> {
  if (!(await hasPendingNotification(deps.db))) return;
  const lock = await acquirePostLock(deps.db, POST_EVERY_MS);
  if (lock === null) return;
  await dropStaleNotifications(deps.db, STALE_AFTER_MS);
  const { rows, leftOut } = await findPendingNotifications(deps.db, MAX_ALERTS_PER_POST);
  if (rows.length === 0) return;
  const body = postBody(rows, leftOut, deps.config.serviceMode);
  const outcome = await deps.post(JSON.stringify(body), stopping);
  if (outcome.error !== null) {
    if (!stopping.aborted) await postpone(deps, lock, outcome);
    return;
  }
  await markNotified(deps.db, rows);
  if (lock.failures > 0) await scheduleNextPost(deps.db, lock.holder, { failures: 0, waitMs: POST_EVERY_MS });
  deps.log.info({ alerts: rows.length, status: outcome.status }, 'alerts were posted to ALERT_URL');
}

async function postpone(
  { db, log }: PostDeps,
  { holder, failures }: PostLock,
  { status, error }: PostOutcome,
): Promise<void> {
  const waitMs = POST_EVERY_MS * Math.min(2 ** failures, MAX_BACKOFF_FACTOR);
  await scheduleNextPost(db, holder, { failures: failures + 1, waitMs });
  const fields = { status, error, failures: failures + 1, retry_in_ms: waitMs };
  log.warn(fields, 'ALERT_URL did not accept the alerts; they will be posted again');
}

const TIMEOUT_MS = 5000;
const MAX_RESPONSE_BYTES = 16 * 1024;

/**
 * Returns the function that posts to ALERT_URL, with one deadline for connecting and the whole response. Redirects are
 * not followed; only the status counts. Private addresses are allowed: the operator chose ALERT_URL. Never rejects; the
 * result never contains the address.
 */
export function createAlertPost(
  url: string,
  timeoutMs: number = TIMEOUT_MS,
): (body: string, stopping: AbortSignal) => Promise<PostOutcome> {
  return (body, stopping) => {
    const post = async (signal: AbortSignal): Promise<PostOutcome> => {
      const response = await request(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'user-agent': 'partner-booking-service/1' },
        body,
        signal,
        // Close the connection: the receiver may close an idle one just before the next post.
        reset: true,
      });
      await response.body.dump({ limit: MAX_RESPONSE_BYTES, signal }).catch(() => undefined);
      const { statusCode: status } = response;
      return { status, error: status >= 200 && status < 300 ? null : 'http_status' };
    };
    return withDeadline(timeoutMs, post, stopping).catch((err: unknown) => ({ status: null, error: codeOf(err) }));
  };
}

function codeOf(err: unknown): string {
  const { code, name } = err as { code?: unknown; name?: unknown };
  if (name === 'TimeoutError' || name === 'AbortError') return 'timeout';
  return typeof code === 'string' ? code : 'network_error';
}
