import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { ACTION_NAMES } from '../../src/console/action-names.ts';
import { projectFolder } from '../architecture/planted-tree.ts';

type Description = { paths: Record<string, Record<string, { operationId?: string }>> };

test('every operation that changes something, and every action of the audit itself, has a name in words', () => {
  const text = readFileSync(path.join(projectFolder, 'docs/openapi.operator.json'), 'utf8');
  const { paths } = JSON.parse(text) as Description;
  const changing = Object.values(paths).flatMap((operations) =>
    Object.entries(operations).flatMap(([method, { operationId }]) =>
      ['post', 'put', 'patch', 'delete'].includes(method) && operationId !== undefined ? [operationId] : [],
    ),
  );
  const own = ['signIn', 'signOut', 'wrongKey', 'pauseQueue', 'resumeQueue', 'useQueueBoard', 'unknown'];
  expect(Object.keys(ACTION_NAMES).toSorted()).toEqual([...changing, ...own].toSorted());
});
