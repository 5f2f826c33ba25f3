import { request } from 'undici';
import { withDeadline } from '../../platform/deadline.ts';
import type { PostOutcome } from './alert-post.service.ts';

const TIMEOUT_MS = 5000;
const READ_AT_MOST_BYTES = 16 * 1024;

/**
 * Returns the function that posts to ALERT_URL, with one deadline for connecting and the whole response. Redirects are
 * not followed; only the status counts. Private addresses are allowed: the operator chose this one. Never rejects, and
 * never repeats the address.
 */
export function createAlertPost(
  url: string,
  timeoutMs: number = TIMEOUT_MS,
): (body: string, stopping: AbortSignal) => Promise<PostOutcome> {
  const post =
    (body: string) =>
    async (signal: AbortSignal): Promise<PostOutcome> => {
      const response = await request(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'user-agent': 'partner-booking-service/1' },
        body,
        signal,
        // Leaves no idle connection that the receiver may close a minute later.
        reset: true,
      });
      await response.body.dump({ limit: READ_AT_MOST_BYTES, signal }).catch(() => undefined);
      const ok = response.statusCode >= 200 && response.statusCode < 300;
      return { ok, status: response.statusCode, error: ok ? null : 'http_status' };
    };
  return (body, stopping) =>
    withDeadline(timeoutMs, post(body), stopping).catch((err: unknown) => ({
      ok: false,
      status: null,
      error: codeOf(err),
    }));
}

function codeOf(err: unknown): string {
  const { code, name } = err as { code?: unknown; name?: unknown };
  if (name === 'TimeoutError' || name === 'AbortError') return 'timeout';
  return typeof code === 'string' ? code : 'network_error';
}
