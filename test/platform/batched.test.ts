import { expect, test } from '@jest/globals';
import { batched } from '../../src/platform/batched.ts';
import { eventually } from '../support/eventually.ts';

/** Batched work whose batches end when the test calls `end`. */
function controlled(maxItems: number) {
  const batches: { items: readonly string[]; end: (results: (string | Error)[] | Error) => void }[] = [];
  const work = (items: readonly string[]) =>
    new Promise<(string | Error)[]>((resolve, reject) => {
      const end = (results: (string | Error)[] | Error) =>
        results instanceof Error ? reject(results) : resolve(results);
      batches.push({ items, end });
    });
  return { batches, call: batched(work, maxItems) };
}

/** Waits until the calls made so far have begun a batch. */
const settled = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
const itemsOf = (batches: readonly { items: readonly string[] }[]) => batches.map(({ items }) => items);

test('a single call begins immediately; calls made during it are batched, one batch after the other', async () => {
  const { batches, call } = controlled(2);
  const calls = [call('a')];
  await settled();
  calls.push(call('b'), call('c'), call('d'));
  await settled();
  expect(itemsOf(batches)).toEqual([['a']]);
  batches[0]?.end(['A']);
  await settled();
  calls.push(call('e'));
  await settled();
  expect(itemsOf(batches)).toEqual([['a'], ['b', 'c']]);
  batches[1]?.end(['B', 'C']);
  await settled();
  expect(itemsOf(batches)).toEqual([['a'], ['b', 'c'], ['d', 'e']]);
  batches[2]?.end(['D', 'E']);
  expect(await Promise.all(calls)).toEqual(['A', 'B', 'C', 'D', 'E']);
});

test('an error of an item rejects only its call; an error of a batch rejects all its calls, and the next batch runs', async () => {
  const { batches, call } = controlled(10);
  const calls = [call('a'), call('b')];
  await settled();
  batches[0]?.end(['A', new Error('taken')]);
  expect(await Promise.allSettled(calls)).toEqual([
    { status: 'fulfilled', value: 'A' },
    { status: 'rejected', reason: new Error('taken') },
  ]);
  const failing = [call('c'), call('d')];
  await settled();
  const next = call('e');
  batches[1]?.end(new Error('out of reach'));
  expect((await Promise.allSettled(failing)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await settled();
  batches[2]?.end(['E']);
  expect(await next).toBe('E');
});

test('a batch that hangs delays the next one only briefly', async () => {
  const { batches, call } = controlled(10);
  const hanging = call('a');
  await settled();
  const next = call('b');
  await settled();
  expect(itemsOf(batches)).toEqual([['a']]);
  await eventually('the next begins', () => batches.length === 2);
  batches[1]?.end(['B']);
  expect(await next).toBe('B');
  batches[0]?.end(['A']);
  expect(await hanging).toBe('A');
});
