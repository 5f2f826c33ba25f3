import { expect, test } from '@jest/globals';
import { coalesced } from '../../src/platform/coalesced.ts';

/** A work that ends when it is told to, and counts its runs. */
function controlled() {
  const ends: { resolve: (run: number) => void; reject: (err: Error) => void }[] = [];
  const work = () => new Promise<number>((resolve, reject) => void ends.push({ resolve, reject }));
  return { ends, call: coalesced(work) };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('calls that come while it runs share the one run that begins after it', async () => {
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

test('a run that fails fails for those whom it served, and the next one is made all the same', async () => {
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
