/**
 * Runs `work` and settles with it, but after `timeoutMs` with a `TimeoutError`, and when `stopping` aborts with its
 * reason. `work` gets a signal that tells it to end.
 *
 * Replaces `AbortSignal.any([stopping, AbortSignal.timeout(ms)])`: in Node 20 that signal never aborts once the timeout
 * is garbage-collected (nodejs/node issue 57736).
 */
export async function withDeadline<T>(
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<T>,
  stopping?: AbortSignal,
): Promise<T> {
  const ending = new AbortController();
  const stop = (): void => ending.abort(stopping?.reason);
  const late = (): void => ending.abort(new DOMException(`Not done within ${timeoutMs} ms`, 'TimeoutError'));
  const timer = setTimeout(late, timeoutMs);
  const ended = new Promise<never>((_resolve, reject) => {
    ending.signal.addEventListener('abort', () => reject(ending.signal.reason as Error));
  });
  if (stopping?.aborted === true) stop();
  else stopping?.addEventListener('abort', stop);
  try {
    return await Promise.race([ended, work(ending.signal)]);
  } finally {
    clearTimeout(timer);
    stopping?.removeEventListener('abort', stop);
  }
}
