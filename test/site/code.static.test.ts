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

type Check = (text: string) => Promise<string | undefined>;

/** The syntax errors that bash finds without running the script. */
const checkWithBash: Check = async (text) => {
  const { status, stderr } = spawnSync('bash', ['-n'], { input: text, encoding: 'utf8' });
  return status === 0 && stderr === '' ? undefined : stderr || `exit code ${String(status)}`;
};

const checkWithParser =
  (read: (text: string) => unknown): Check =>
  async (text) => {
    try {
      await read(text);
      return undefined;
    } catch (error) {
      return String(error);
    }
  };

/** The check for each language. */
const CHECKS: Readonly<Record<string, Check>> = {
  json: checkWithParser(JSON.parse),
  bash: checkWithBash,
  sh: checkWithBash,
  ts: checkWithParser((text) => parse(text, { syntax: 'typescript', target: 'es2022' })),
  js: checkWithParser((text) => parse(text, { syntax: 'ecmascript', target: 'es2022' })),
};
/** `http` and `text` are not code; Python and Go are in examples that tests run (guides.static.test.ts). */
const UNCHECKED = ['http', 'text', '', 'python', 'py', 'go'];

test('code on the pages is in a language that is checked', () => {
  const unknown = blocks.filter(({ language }) => CHECKS[language] === undefined && !UNCHECKED.includes(language));
  expect(unknown).toEqual([]);
  expect(blocks.length).toBeGreaterThan(50);
});

test.each(Object.keys(CHECKS).filter((each) => blocks.some(({ language }) => language === each)))(
  'code in %s is well formed; control: half of it is not',
  async (wanted) => {
    const check = CHECKS[wanted];
    const shown = blocks.filter(({ language }) => language === wanted);
    for (const { url, text } of shown) {
      expect([url, text, await check?.(text)]).toEqual([url, text, undefined]);
    }
    const longest = shown.map(({ text }) => text).toSorted((a, b) => b.length - a.length)[0] ?? '';
    expect(await check?.(`${longest.slice(0, longest.lastIndexOf('}'))} ( "`)).toBeDefined();
  },
);
