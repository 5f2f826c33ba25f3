import { expect, test } from '@jest/globals';
import { CONFIRMED, NEWEST, newestOf } from '../../src/platform/newest-reads.ts';

/** A read that returns the keys in upper case if `isThere`, and notes its calls. */
function controlled(isThere: (key: string, isConfirming: boolean) => boolean) {
  const asked: [string, readonly string[]][] = [];
  const find = newestOf<string, { key: string }>(async (keys, options) => {
    const isConfirming = options === CONFIRMED;
    asked.push([isConfirming ? 'confirmed' : options === NEWEST ? 'newest' : 'otherwise', keys]);
    if (isConfirming && keys.includes('unsure')) throw new Error('no primary');
    return (key) => (isThere(key, isConfirming) ? { key } : undefined);
  });
  return { asked, find };
}

test('missing keys are confirmed together before they are reported missing', async () => {
  const { asked, find } = controlled((key, isConfirming) => key === 'a' || (key === 'late' && isConfirming));
  expect(await Promise.all(['a', 'late', 'b'].map(find))).toEqual([{ key: 'a' }, { key: 'late' }, null]);
  expect(asked).toEqual([
    ['newest', ['a', 'late', 'b']],
    ['confirmed', ['late', 'b']],
  ]);
});

test('if that fails, only the calls for missing keys fail; the others have not waited', async () => {
  const { asked, find } = controlled((key) => key === 'a');
  const missing = find('unsure');
  await find('a');
  expect(asked).toEqual([['newest', ['unsure', 'a']]]);
  await expect(missing).rejects.toThrow('no primary');
  const settled = await Promise.allSettled(['a', 'unsure', 'b'].map(find));
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
});
