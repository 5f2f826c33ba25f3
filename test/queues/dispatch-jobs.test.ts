import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createJobDispatcher } from '../../workers/support/dispatch-jobs.ts';

const ids = (count: number, name: string) => Array.from({ length: count }, (_, index) => `${name}${index}`);
const dispatched = { counts: new Map(), failures: new Map<string, Error>(), begun: Promise.resolve() };

test('jobs that arrive during four batches share later batches in order, up to 100 reservations each', async () => {
  const batches: (readonly string[])[] = [];
  const { dispatch, inProgressIds } = createJobDispatcher(async (batch) => {
    batches.push(batch);
    await delay(5);
    return dispatched;
  });
  const first = [ids(1, 'w'), ids(1, 'x'), ids(1, 'y'), ids(1, 'z')];
  const later = [ids(50, 'b'), ids(50, 'c'), ids(50, 'd'), ids(120, 'e')];
  const jobs = [...first, ...later].map((job) => dispatch(job));
  expect(inProgressIds.size).toBe(274);
  await Promise.all(jobs);
  expect(batches).toEqual([...first, [...ids(50, 'b'), ...ids(50, 'c')], later[2], later[3]]);
  expect([...inProgressIds]).toEqual([]);
});

test('a job fails only with the error of its own reservations or batch', async () => {
  const failures = new Map([['refused', new Error('no such type')]]);
  const { dispatch } = createJobDispatcher((batch) =>
    batch.includes('lost')
      ? Promise.reject(new Error('connection lost'))
      : Promise.resolve({ ...dispatched, failures }),
  );
  const first = dispatch(['first']);
  const outcomes = await Promise.allSettled([first, dispatch(['good']), dispatch(['other', 'refused'])]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
  await expect(dispatch(['lost'])).rejects.toThrow('connection lost');
  await expect(dispatch(['good again'])).resolves.toEqual({ events: 0, deliveries: 0 });
});

test('a batch whose sends do not begin delays the next batch by 100 ms, and its own jobs until the sends begin', async () => {
  let begin = (): void => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const { dispatch } = createJobDispatcher((batch) =>
    Promise.resolve(batch.includes('slow') ? { ...dispatched, begun } : dispatched),
  );
  const beganAt = performance.now();
  const [slow] = [1, 2, 3, 4].map((batch) => dispatch(['slow', `${batch}`]));
  await dispatch(['next']);
  const tookMs = performance.now() - beganAt;
  expect(tookMs).toBeGreaterThan(90);
  expect(await Promise.race([slow?.then(() => 'done'), delay(20, 'waits')])).toBe('waits');
  begin();
  await slow;
});
