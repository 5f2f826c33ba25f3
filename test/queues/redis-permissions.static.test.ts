import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { COMMANDS_IN_SCRIPTS } from '../../src/queues/redis-permissions.ts';
import { projectFolder } from '../architecture/planted-tree.ts';

const SCRIPTS = path.join(projectFolder, 'node_modules/bullmq/dist/cjs/scripts');

test('the commands that a process checks at its start are exactly those of BullMQ’s scripts', () => {
  const texts = readdirSync(SCRIPTS)
    .filter((name) => name.endsWith('.js'))
    .map((name) => readFileSync(path.join(SCRIPTS, name), 'utf8'));
  const called = texts.flatMap((text) =>
    [...text.matchAll(/(?:rcall|redis\.p?call)\(\s*["'](\w+)["']/g)].map(([, name = '']) => name.toUpperCase()),
  );
  expect(COMMANDS_IN_SCRIPTS.toSorted()).toEqual([...new Set(called)].toSorted());
});
