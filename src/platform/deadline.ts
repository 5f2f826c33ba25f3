/**
 * Does `work` and settles as it does, but after `timeoutMs` with a `TimeoutError` and when `stopping` aborts with its reason, whatever
 * the work does then; it is given a signal by which to end.
 *
 * In place of `AbortSignal.any([stopping, AbortSignal.timeout(ms)])`, which in Node 20 is never aborted by the timeout once
 * that is garbage-collected: the composed signal does not keep it (nodejs/node issue 57736).
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
