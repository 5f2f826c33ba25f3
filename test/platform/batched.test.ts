import { expect, test } from '@jest/globals';
import { batchedRead } from '../../src/platform/batched.ts';

test('reads are shared, bounded and each for its own callers, also where one fails', async () => {
  const reads: (readonly string[])[] = [];
  const find = batchedRead(
    async (keys) => {
      reads.push(keys);
      if (keys.includes('faulty')) throw new Error('out of reach');
      return new Map(keys.filter((key) => key !== 'absent').map((key) => [key, key.toUpperCase()]));
    },
    { everyMs: 5, maxKeys: 3 },
  );
  const answers = ['a', 'a', 'absent', 'b', 'faulty'].map((key) => find(key));
  expect(await Promise.allSettled(answers)).toEqual([
    { status: 'fulfilled', value: 'A' },
    { status: 'fulfilled', value: 'A' },
    { status: 'fulfilled', value: undefined },
    { status: 'rejected', reason: new Error('out of reach') },
    { status: 'rejected', reason: new Error('out of reach') },
  ]);
  expect(await find('c')).toBe('C');
  expect(reads).toEqual([['a', 'absent'], ['b', 'faulty'], ['c']]);
});
