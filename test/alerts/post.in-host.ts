import { createAlertPost, postAlerts } from '../../src/operations/alerts/alert-post.service.ts';
import type { Service } from '../support/service.ts';

type Context = Service['context'];
type Telling = { url: string; everyMs: number; timeoutMs?: number; atOnce?: number };

/** Stops the latest processes that post. */
const stops = new WeakMap<Context, AbortController>();

/** Posts the alerts as `atOnce` concurrent processes, once each. */
export async function tellAlerts(context: Context, { url, everyMs, timeoutMs, atOnce = 1 }: Telling): Promise<void> {
  const stop = new AbortController();
  stops.set(context, stop);
  const tell = () => postAlerts({ ...context, post: createAlertPost(url, timeoutMs) }, stop.signal, everyMs);
  await Promise.all(Array.from({ length: atOnce }, tell));
}

/** Asks the posting processes to stop. */
export function stopTelling(context: Context): void {
  stops.get(context)?.abort();
}
