import { expect, test } from '@jest/globals';
import { CONFIRMED, NEWEST, newestOf } from '../../src/platform/newest-reads.ts';

/** A read that finds the keys for which `exists` returns true, and records its calls. */
function controlled(exists: (key: string, isConfirming: boolean) => boolean) {
  const recordedReads: [string, readonly string[]][] = [];
  const find = newestOf<string, { key: string }>(async (keys, options) => {
    const isConfirming = options === CONFIRMED;
    recordedReads.push([isConfirming ? 'confirmed' : options === NEWEST ? 'newest' : 'otherwise', keys]);
    if (isConfirming && keys.includes('unsure')) throw new Error('no primary');
    return (key) => (exists(key, isConfirming) ? { key } : undefined);
  });
  return { recordedReads, find };
}

test('missing keys are confirmed together before they are reported missing', async () => {
  const { recordedReads, find } = controlled((key, isConfirming) => key === 'a' || (key === 'late' && isConfirming));
  expect(await Promise.all(['a', 'late', 'b'].map(find))).toEqual([{ key: 'a' }, { key: 'late' }, null]);
  expect(recordedReads).toEqual([
    ['newest', ['a', 'late', 'b']],
    ['confirmed', ['late', 'b']],
  ]);
});

test('if the confirmation fails, only the calls for missing keys fail; calls for other keys do not wait for it', async () => {
  const { recordedReads, find } = controlled((key) => key === 'a');
  const missing = find('unsure');
  await find('a');
  expect(recordedReads).toEqual([['newest', ['unsure', 'a']]]);
  await expect(missing).rejects.toThrow('no primary');
  const settled = await Promise.allSettled(['a', 'unsure', 'b'].map(find));
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
});
