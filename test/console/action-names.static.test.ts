import { expect, test } from '@jest/globals';
import { ACTION_NAMES } from '../../src/console/audit-page.tsx';
import { publishedDescription } from '../support/published-description.ts';

test('every changing operation and every action of the audit itself has a readable name', () => {
  const changing = Object.values(publishedDescription('operator').paths).flatMap((operations) =>
    Object.entries(operations).flatMap(([method, { operationId }]) => (method === 'get' ? [] : [String(operationId)])),
  );
  const own = ['signIn', 'signOut', 'wrongKey', 'pauseQueue', 'resumeQueue', 'useQueueBoard', 'unknown'];
  expect(Object.keys(ACTION_NAMES).toSorted()).toEqual([...changing, ...own].toSorted());
});
