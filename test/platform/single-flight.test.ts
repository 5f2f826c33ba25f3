import { describe, expect, test } from '@jest/globals';
import { singleFlight, singleFlightByKey, singleFlightOfOneKind } from '../../src/platform/single-flight.ts';

/** Single-flight work. The test ends its runs by `ends`, and counts them. */
function controlled() {
  const ends: { resolve: (run: number) => void; reject: (err: Error) => void }[] = [];
  const work = () => new Promise<number>((resolve, reject) => void ends.push({ resolve, reject }));
  return { ends, call: singleFlight(work) };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('calls made during a run share the next run', async () => {
  const { ends, call } = controlled();
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
  const { ends, call } = controlled();
  const first = call();
  await settled();
  const second = call();
  ends[0]?.reject(new Error('no database'));
  await expect(first).rejects.toThrow('no database');
  await settled();
  ends[1]?.resolve(2);
  expect(await second).toBe(2);
});

describe('by key', () => {
  test('calls with the same key share runs, and do not wait for runs of other keys', async () => {
    const share = singleFlightByKey<string>();
    const runs: string[] = [];
    const ends = new Map<string, () => void>();
    const call = (key: string) =>
      share(key, () => {
        runs.push(key);
        return new Promise((resolve) => void ends.set(key, () => resolve(`of ${key}`)));
      });
    const answers = [call('a'), call('b')];
    await settled();
    answers.push(call('a'), call('a'));
    ends.get('a')?.();
    await settled();
    ends.get('a')?.();
    expect(await Promise.all([answers[0], answers[2], answers[3]])).toEqual(['of a', 'of a', 'of a']);
    expect(runs).toEqual(['a', 'b', 'a']);
    ends.get('b')?.();
    expect(await answers[1]).toBe('of b');
  });

  test('a shared run does the work of the call that was made last', async () => {
    const share = singleFlightByKey<string>();
    let end: () => void = () => undefined;
    const first = share('a', () => new Promise((resolve) => (end = () => resolve('old'))));
    await settled();
    const others = [share('a', () => Promise.resolve('newer')), share('a', () => Promise.resolve('newest'))];
    end();
    expect(await Promise.all([first, ...others])).toEqual(['old', 'newest', 'newest']);
  });
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
