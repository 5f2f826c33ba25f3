/**
 * Does `work`, which is to end with the signal it is given: after `timeoutMs` with a `TimeoutError`, or when `stopping` aborts, with
 * its reason. Settles as `work` does.
 *
 * In place of `AbortSignal.any([stopping, AbortSignal.timeout(ms)])`, which in Node 20 is never aborted by the timeout once
 * that is garbage-collected: the composed signal does not keep it (nodejs/node issue 57736).
 */
export async function withDeadline<T>(
  timeoutMs: number,
  stopping: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController();
  const stop = (): void => ending.abort(stopping.reason);
  const late = (): void => ending.abort(new DOMException(`Not done within ${timeoutMs} ms`, 'TimeoutError'));
  const timer = setTimeout(late, timeoutMs);
  if (stopping.aborted) stop();
  else stopping.addEventListener('abort', stop);
  try {
    return await work(ending.signal);
  } finally {
    clearTimeout(timer);
    stopping.removeEventListener('abort', stop);
  }
}
