import { expect, test } from '@jest/globals';
import {
  deduplicatedCalls,
  singleFlight,
  singleFlightByKey,
  singleFlightOfOneKind,
} from '../../src/platform/single-flight.ts';

/** Work whose runs the test ends; `ends` has an entry for each run. */
function controlled<T>() {
  const ends: { resolve: (result: T) => void; reject: (err: Error) => void }[] = [];
  const work = () => new Promise<T>((resolve, reject) => void ends.push({ resolve, reject }));
  return { ends, work };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('calls made during a run share the next run', async () => {
  const { ends, work } = controlled<number>();
  const call = singleFlight(work);
  const first = call();
  await settled();
  const [second, third] = [call(), call()];
  await settled();
  expect(ends).toHaveLength(1);
  ends[0]?.resolve(1);
  await settled();
  expect(ends).toHaveLength(2);
  ends[1]?.resolve(2);
  expect(await Promise.all([first, second, third])).toEqual([1, 2, 2]);
});

test('a failed run rejects its calls, and the next one still runs', async () => {
  const { ends, work } = controlled<number>();
  const call = singleFlight(work);
  const first = call();
  await settled();
  const second = call();
  ends[0]?.reject(new Error('no database'));
  await expect(first).rejects.toThrow('no database');
  await settled();
  ends[1]?.resolve(2);
  expect(await second).toBe(2);
});

test('by key: a shared run does the work of the call that was made last', async () => {
  const share = singleFlightByKey<string>();
  let end: () => void = () => undefined;
  const first = share('a', () => new Promise((resolve) => (end = () => resolve('old'))));
  await settled();
  const others = [share('a', () => Promise.resolve('newer')), share('a', () => Promise.resolve('newest'))];
  end();
  expect(await Promise.all([first, ...others])).toEqual(['old', 'newest', 'newest']);
});

test('of one kind: equal calls share runs; a different call with the same key is rejected; calls with other keys run', async () => {
  const share = singleFlightOfOneKind<string>();
  const ends: (() => void)[] = [];
  const begin = (key: string, kind: string) =>
    share(key, kind, () => new Promise((resolve) => void ends.push(() => resolve(kind))));
  const first = begin('a', 'all');
  await settled();
  const others = Promise.all([begin('a', 'all'), begin('a', 'all')]);
  expect(begin('a', 'some')).toBeUndefined();
  const otherKey = begin('b', 'some');
  await settled();
  expect(ends).toHaveLength(2);
  for (const end of ends.splice(0)) end();
  expect([await first, await otherKey]).toEqual(['all', 'some']);
  expect(begin('a', 'some')).toBeUndefined();
  expect(ends).toHaveLength(1);
  ends.pop()?.();
  expect(await others).toEqual(['all', 'all']);
  const later = begin('a', 'some');
  await settled();
  ends.pop()?.();
  expect(await later).toBe('some');
});

type Outcome = { run: number; isReplay: boolean };

/** Deduplicated calls, whose runs the test ends by `succeed` and `fail`. */
function deduplicated() {
  const { ends, work } = controlled<Outcome>();
  const deduplicate = deduplicatedCalls<Outcome>();
  const defaultDatabase = {};
  const call = (key = 'a', database = defaultDatabase) => deduplicate(database, [key], work);
  const succeed = (run: number) => ends[run - 1]?.resolve({ run, isReplay: false });
  const fail = (run: number) => ends[run - 1]?.reject(new Error(`run ${run}`));
  return { ends, call, succeed, fail };
}
const messages = (outcomes: readonly PromiseSettledResult<Outcome>[]) =>
  outcomes.map((outcome) => (outcome.status === 'rejected' ? (outcome.reason as Error).message : outcome.value));

test('equal concurrent calls share one run; all but the first get its result as a replay', async () => {
  const { ends, call, succeed } = deduplicated();
  const calls = [call(), call(), call()];
  succeed(1);
  expect((await Promise.all(calls)).map(({ isReplay }) => isReplay)).toEqual([false, true, true]);
  expect(ends).toHaveLength(1);
});

test('if the run fails, the waiting calls share a new run', async () => {
  const { ends, call, succeed, fail } = deduplicated();
  const calls = Promise.allSettled([call(), call(), call()]);
  fail(1);
  await settled();
  expect(ends).toHaveLength(2);
  succeed(2);
  expect(messages(await calls)).toEqual(['run 1', { run: 2, isReplay: false }, { run: 2, isReplay: true }]);
});

test('if the second run fails too, all its calls fail; none waits for a third run', async () => {
  const { ends, call, fail } = deduplicated();
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
  const { ends, call, succeed } = deduplicated();
  const calls = [call('a'), call('b'), call('a', {})];
  expect(ends).toHaveLength(3);
  for (const run of [1, 2, 3]) succeed(run);
  expect((await Promise.all(calls)).map(({ isReplay }) => isReplay)).toEqual([false, false, false]);
});
