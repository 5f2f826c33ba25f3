import { createAlertPost, postAlerts } from '../../src/operations/alerts/alert-post.service.ts';
import type { Service } from '../support/service.ts';

type Context = Service['context'];
type Telling = { url: string; everyMs: number; timeoutMs?: number; atOnce?: number };

/** What stops the processes that told last. */
const stops = new WeakMap<Context, AbortController>();

/** What so many processes do at the same time, once each. */
export async function tellAlerts(context: Context, { url, everyMs, timeoutMs, atOnce = 1 }: Telling): Promise<void> {
  const stop = new AbortController();
  stops.set(context, stop);
  const tell = () => postAlerts({ ...context, post: createAlertPost(url, timeoutMs) }, stop.signal, everyMs);
  await Promise.all(Array.from({ length: atOnce }, tell));
}

/** The process that tells is asked to stop. */
export function stopTelling(context: Context): void {
  stops.get(context)?.abort();
}
