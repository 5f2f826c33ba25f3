import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { withDeadline, withTimeout } from '../../src/platform/deadline.ts';

const DEADLINE_MS = 100;
const NEVER = new AbortController().signal;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Work that ends only when its signal aborts. Only its listener on the signal keeps it from garbage collection. */
const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    const fail = () => reject(signal.reason as Error);
    if (signal.aborted) fail();
    signal.addEventListener('abort', fail);
  });

const endOf = async (work: Promise<unknown>): Promise<unknown> =>
  Promise.race([work.then(String, (err: Error) => err.name), delay(DEADLINE_MS + 2000, 'never', { ref: false })]);

test('work is aborted at its deadline, even after garbage collection', async () => {
  const ending = endOf(withDeadline(DEADLINE_MS, untilAborted, NEVER));
  const collectable = new WeakRef({});
  await delay(DEADLINE_MS / 4);
  collectGarbage();
  expect(collectable.deref()).toBeUndefined();
  expect(await ending).toBe('TimeoutError');
});

test('work that ignores its signal is abandoned at the deadline, and its later error is ignored', async () => {
  let fail = (_err: Error) => {};
  const ignoresSignal = () => new Promise<never>((_resolve, reject) => (fail = reject));
  expect(await endOf(withTimeout(DEADLINE_MS, ignoresSignal))).toBe('TimeoutError');
  fail(new RangeError('too late to matter'));
  await delay(1);
});

test('work is aborted with its caller’s reason, whether the caller aborts before or during the work', async () => {
  const caller = new AbortController();
  const ending = endOf(withDeadline(60_000, untilAborted, caller.signal));
  caller.abort(new RangeError('enough'));
  expect(await ending).toBe('RangeError');
  expect(await endOf(withDeadline(60_000, untilAborted, caller.signal))).toBe('RangeError');
});

test('work that ends in time returns its result, and leaves no timer or listener', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = timers();
  let timersDuring = 0;
  let signalOfWork: AbortSignal | undefined;
  const caller = new AbortController();
  const work = async (signal: AbortSignal) => {
    signalOfWork = signal;
    timersDuring = timers();
    return 'done';
  };
  expect(await withDeadline(60_000, work, caller.signal)).toBe('done');
  expect([timersDuring, timers()]).toEqual([before + 1, before]);
  await expect(withDeadline(60_000, () => Promise.reject(new RangeError('failed')), caller.signal)).rejects.toThrow(
    'failed',
  );
  expect(timers()).toBe(before);
  caller.abort();
  expect(signalOfWork?.aborted).toBe(false);
});
