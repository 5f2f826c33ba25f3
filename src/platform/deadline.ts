/** Settles with `work`, but rejects with a `TimeoutError` after `timeoutMs`. */
export async function withTimeout<T>(timeoutMs: number, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<never>((_resolve, reject) => {
    const giveUp = (): void => reject(new DOMException(`Not done within ${timeoutMs} ms`, 'TimeoutError'));
    timer = setTimeout(giveUp, timeoutMs);
  });
  try {
    return await Promise.race([timedOut, work()]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * `withTimeout` that also rejects, with the reason of `stopping`, when `stopping` aborts. `work` gets a signal
 * that aborts when this rejects.
 *
 * Replaces `AbortSignal.any([stopping, AbortSignal.timeout(ms)])`: in Node 20 that signal never aborts once the timeout
 * is garbage-collected (nodejs/node issue 57736).
 */
export async function withDeadline<T>(
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<T>,
  stopping: AbortSignal,
): Promise<T> {
  stopping.throwIfAborted();
  const ending = new AbortController();
  let stop = (): void => undefined;
  const stopped = new Promise<never>((_resolve, reject) => {
    stop = () => reject(stopping.reason as Error);
  });
  stopping.addEventListener('abort', stop);
  try {
    return await withTimeout(timeoutMs, () => Promise.race([stopped, work(ending.signal)]));
  } catch (err) {
    ending.abort(err);
    throw err;
  } finally {
    stopping.removeEventListener('abort', stop);
  }
}
