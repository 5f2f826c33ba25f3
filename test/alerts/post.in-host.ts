import { createAlertPost, postAlerts } from '../../src/operations/alerts/alert-post.service.ts';
import type { Service } from '../support/service.ts';

type Context = Service['context'];
type PostOptions = { url: string; timeoutMs?: number; processes?: number };

/** Stops the processes that the latest call started. */
const stops = new WeakMap<Context, AbortController>();

/** Posts the alerts once, like `processes` concurrent processes. */
export async function postAsProcesses(context: Context, { url, timeoutMs, processes = 1 }: PostOptions): Promise<void> {
  const stop = new AbortController();
  stops.set(context, stop);
  const post = () => postAlerts({ ...context, post: createAlertPost(url, timeoutMs) }, stop.signal);
  await Promise.all(Array.from({ length: processes }, post));
}

/** Asks the posting processes to stop. */
export function stopPosting(context: Context): void {
  stops.get(context)?.abort();
}
