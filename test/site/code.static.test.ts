import { spawnSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { parse } from '@swc/core';
import { readSite } from '../../site/pages.ts';
import { projectFolder } from '../architecture/planted-tree.ts';
import { blocksOf } from '../docs/documents.ts';

const { pages } = readSite(projectFolder);
const blocks = pages.flatMap(({ url, markdown }) =>
  blocksOf({ text: markdown }).map(({ language, text }) => ({ url, language, text })),
);

/** Rejects scripts in which bash finds syntax errors, without running them. */
const checkWithBash = (text: string) => {
  const { status, stderr } = spawnSync('bash', ['-n'], { input: text, encoding: 'utf8' });
  if (status !== 0 || stderr !== '') throw new Error(stderr);
};

/** The check for each language, which throws or rejects. */
const CHECKS: Readonly<Record<string, (text: string) => unknown>> = {
  json: JSON.parse,
  bash: checkWithBash,
  sh: checkWithBash,
  ts: (text) => parse(text, { syntax: 'typescript', target: 'es2022' }),
  js: (text) => parse(text, { syntax: 'ecmascript', target: 'es2022' }),
};
/** `http` and `text` are not code; Python and Go are in examples that tests run (guides.static.test.ts). */
const UNCHECKED = ['http', 'text', '', 'python', 'py', 'go'];

test('code on the pages is in a language that is checked', () => {
  const unknown = blocks.filter(({ language }) => CHECKS[language] === undefined && !UNCHECKED.includes(language));
  expect(unknown).toEqual([]);
  expect(blocks.length).toBeGreaterThan(50);
});

const checked = blocks.flatMap((block) => {
  const check = CHECKS[block.language];
  return check === undefined ? [] : [{ ...block, check }];
});

test.each(checked)('code in $language on $url is well formed', async ({ text, check }) => {
  await expect(Promise.resolve(text).then(check)).resolves.not.toThrow();
});
