import { describe, expect, test } from '@jest/globals';
import { singleFlight, singleFlightByKey, singleFlightOfOneKind } from '../../src/platform/single-flight.ts';

/** Work whose runs the test ends and counts. */
function controlled() {
  const ends: { resolve: (run: number) => void; reject: (err: Error) => void }[] = [];
  const work = () => new Promise<number>((resolve, reject) => void ends.push({ resolve, reject }));
  return { ends, call: singleFlight(work) };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('calls made during a run share the one run after it', async () => {
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
  test('calls with one key share runs and do not wait for other keys', async () => {
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

  test('a run does the work of the latest caller', async () => {
    const share = singleFlightByKey<string>();
    let end: () => void = () => undefined;
    const first = share('a', () => new Promise((resolve) => (end = () => resolve('old'))));
    await settled();
    const others = [share('a', () => Promise.resolve('newer')), share('a', () => Promise.resolve('newest'))];
    end();
    expect(await Promise.all([first, ...others])).toEqual(['old', 'newest', 'newest']);
  });
});

test('by kind, equal calls share runs; a different call with the key is rejected, one with another key runs', async () => {
  const share = singleFlightOfOneKind<string>();
  const ends: (() => void)[] = [];
  const begin = (key: string, wanted: string) =>
    share(key, wanted, () => new Promise((resolve) => void ends.push(() => resolve(wanted))));
  const first = begin('a', 'all');
  await settled();
  const others = Promise.all([begin('a', 'all'), begin('a', 'all')]);
  expect(begin('a', 'some')).toBeUndefined();
  const beside = begin('b', 'some');
  await settled();
  expect(ends).toHaveLength(2);
  for (const end of ends.splice(0)) end();
  expect([await first, await beside]).toEqual(['all', 'some']);
  expect(begin('a', 'some')).toBeUndefined();
  expect(ends).toHaveLength(1);
  ends.pop()?.();
  expect(await others).toEqual(['all', 'all']);
  const later = begin('a', 'some');
  await settled();
  ends.pop()?.();
  expect(await later).toBe('some');
});
