import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { projectFolder } from '../architecture/planted-tree.ts';
import { ROWS } from '../conformance/rows.ts';
import { RULES } from '../conformance/rules.ts';
import { readDocument } from './documents.ts';

const page = await readDocument('docs/contract.md');

/** The names of the rules that a text in the form of docs/contract.md states, in order. */
function rulesOf(text: string): string[] {
  return [...text.matchAll(/^- \*\*`([^`]+)`\*\*/gm)].map(([, name = '']) => name);
}

/** References of a text that lead nowhere: to rules that the page lacks, and to documents outside this repository. */
function deadReferences(text: string, rules: readonly string[] = RULES): string[] {
  const named = [...text.matchAll(/\bcontract(?:\.md#|: )`?([a-z-]+\/[a-z0-9-]+)/g)];
  const unknown = named.filter(([, name = '']) => !rules.includes(name)).map(([reference]) => reference);
  const outside = text.match(/§|\b(?:decisions|partner-interface|operator-interface|architecture)\.md\b/g);
  return [...unknown, ...(outside ?? [])];
}

/** Every file that people write, as `[path, text]`. */
async function writtenFiles(): Promise<[string, string][]> {
  const folders = ['src', 'workers', 'test', 'scripts', 'docs', 'examples', 'deploy'];
  const files = await Promise.all(
    folders.map(async (folder) =>
      (await readdir(path.join(projectFolder, folder), { recursive: true, withFileTypes: true }))
        .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
        .map((entry) => path.relative(projectFolder, path.join(entry.parentPath, entry.name)))
        .filter((file) => /\.(?:[mc]?[jt]sx?|css|md|ya?ml|sh|py|go|php|rb|java|cs)$/.test(file)),
    ),
  );
  const names = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...files.flat()].filter(
    (file) => file !== 'test/docs/contract.static.test.ts',
  );
  return Promise.all(
    names.map(
      async (file): Promise<[string, string]> => [file, await readFile(path.join(projectFolder, file), 'utf8')],
    ),
  );
}

describe('docs/contract.md and the conformance suite', () => {
  test('state the same rules in the same order, each once', () => {
    expect(rulesOf(page.text)).toEqual([...RULES]);
    expect(new Set(RULES).size).toBe(RULES.length);
  });

  test('every rule has a row', () => {
    const shown = new Set<string>(ROWS.flatMap(({ rules }) => [...rules]));
    expect(RULES.filter((rule) => !shown.has(rule))).toEqual([]);
  });
});

describe('references', () => {
  test('name rules of the contract, and no document that is not here', async () => {
    const files = await writtenFiles();
    expect(files.length).toBeGreaterThan(500);
    const dead = files.map(([file, text]) => [file, deadReferences(text)] as const);
    expect(dead.filter(([, references]) => references.length > 0)).toEqual([]);
  });
});
