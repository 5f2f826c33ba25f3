import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { projectFolder } from './planted-tree.ts';

/** An operand that is or contains a secret: `apiKey`, `key.hash`, `signature(…)`, `config.operatorApiKey`. */
const SECRET = String.raw`\b(?:\w+\.)*\w*(?:[aA]pi_?[kK]ey|[sS]ecret(?:_?[kK]ey)?|[hH]ash|[sS]ignature|[tT]oken|[cC]srf|[dD]igest|[pP]assword|[cC]ookie)(?:Of)?\b(?:\([^()]*\))?`;
/** Comparisons that stop at the first difference: the longer they take, the more of a guess is right. */
const UNSAFE_COMPARISON = new RegExp(
  String.raw`${SECRET} ?[!=]==?(?![=\s]*(?:undefined|null|''|""))|[!=]==? ${SECRET}(?!\.length)|${SECRET}\.(?:equals|startsWith|endsWith|localeCompare|includes)\(|\.(?:equals|startsWith|endsWith|includes)\(${SECRET}\)`,
);

const isComment = (line: string) => /^\s*(\/?\*|\/\/)/.test(line);
const comparisonsIn = (text: string): string[] =>
  text.split('\n').filter((line) => !isComment(line) && UNSAFE_COMPARISON.test(line));

/** Files of the service, without development tools and command lines: those use the caller's own key. */
const sources = ['src', 'workers'].flatMap((folder) =>
  readdirSync(path.join(projectFolder, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/^(development|cli)\//.test(name))
    .map((name) => path.join(folder, name)),
);
const textOf = (file: string) => readFileSync(path.join(projectFolder, file), 'utf8');

describe('secrets are compared in constant time only', () => {
  test('no file compares a secret as text', () => {
    const found = sources.flatMap((file) => comparisonsIn(textOf(file)).map((line) => `${file}: ${line.trim()}`));
    expect(sources.length).toBeGreaterThan(250);
    expect(found).toEqual([]);
  });

  test('partners’ keys, the operator’s key and session signatures are compared by timingSafeEqual', () => {
    const files = sources.filter((file) => textOf(file).includes('timingSafeEqual('));
    expect(files.toSorted()).toEqual(['src/operations/operators/session.rules.ts', 'src/partners/api-key.rules.ts']);
  });
});
