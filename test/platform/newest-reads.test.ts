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

test('what is missing is made sure of, together, and only then said to be missing', async () => {
  const { asked, find } = controlled((key, isConfirming) => key === 'a' || (key === 'late' && isConfirming));
  expect(await Promise.all(['a', 'late', 'b'].map(find))).toEqual([{ key: 'a' }, { key: 'late' }, null]);
  expect(asked).toEqual([
    ['newest', ['a', 'late', 'b']],
    ['confirmed', ['late', 'b']],
  ]);
});

test('where that cannot be made sure, the calls for what is missing fail; others do not, and have not waited for it', async () => {
  const { asked, find } = controlled((key) => key === 'a');
  const missing = find('unsure');
  await find('a');
  expect(asked).toEqual([['newest', ['unsure', 'a']]]);
  await expect(missing).rejects.toThrow('no primary');
  const settled = await Promise.allSettled(['a', 'unsure', 'b'].map(find));
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
});
