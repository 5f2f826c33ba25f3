import { expect, test } from '@jest/globals';
import { deduplicatedCalls } from '../../src/platform/single-flight.ts';

type Outcome = { run: number; isReplay: boolean };

/** Deduplicated calls. The test ends their runs by `succeed` and `fail`, and counts them in `ends`. */
function controlled() {
  const ends: { resolve: (outcome: Outcome) => void; reject: (err: Error) => void }[] = [];
  const deduplicate = deduplicatedCalls<Outcome>();
  const defaultDatabase = {};
  const call = (key = 'a', database = defaultDatabase) =>
    deduplicate(database, [key], () => new Promise<Outcome>((resolve, reject) => void ends.push({ resolve, reject })));
  const succeed = (run: number) => ends[run - 1]?.resolve({ run, isReplay: false });
  const fail = (run: number) => ends[run - 1]?.reject(new Error(`run ${run}`));
  return { ends, call, succeed, fail };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));
const messages = (outcomes: readonly PromiseSettledResult<Outcome>[]) =>
  outcomes.map((outcome) => (outcome.status === 'rejected' ? (outcome.reason as Error).message : outcome));

test('equal concurrent calls share one run; all but the first get its result as a replay', async () => {
  const { ends, call, succeed } = controlled();
  const calls = [call(), call(), call()];
  succeed(1);
  expect(await Promise.all(calls)).toEqual([
    { run: 1, isReplay: false },
    { run: 1, isReplay: true },
    { run: 1, isReplay: true },
  ]);
  expect(ends).toHaveLength(1);
});

test('if the run fails, the waiting calls share a new run', async () => {
  const { ends, call, succeed, fail } = controlled();
  const calls = Promise.allSettled([call(), call(), call()]);
  fail(1);
  await settled();
  expect(ends).toHaveLength(2);
  succeed(2);
  expect(messages(await calls)).toEqual([
    'run 1',
    { status: 'fulfilled', value: { run: 2, isReplay: false } },
    { status: 'fulfilled', value: { run: 2, isReplay: true } },
  ]);
});

test('if the second run fails too, all its calls fail; none waits for a third run', async () => {
  const { ends, call, fail } = controlled();
  const calls = Promise.allSettled([call(), call(), call()]);
  fail(1);
  await settled();
  const later = Promise.allSettled([call()]);
  fail(2);
  await settled();
  expect(messages(await calls)).toEqual(['run 1', 'run 2', 'run 2']);
  fail(3);
  expect(messages(await later)).toEqual(['run 3']);
  expect(ends).toHaveLength(3);
});

test('different calls, and equal calls on different databases, each have a run', async () => {
  const { ends, call, succeed } = controlled();
  const calls = [call('a'), call('b'), call('a', {})];
  expect(ends).toHaveLength(3);
  for (const run of [1, 2, 3]) succeed(run);
  expect((await Promise.all(calls)).map(({ isReplay }) => isReplay)).toEqual([false, false, false]);
});
