import { access, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { projectFolder } from '../architecture/planted-tree.ts';
import { readDocument, tableRows } from './documents.ts';

const HEADER = '| Word | What it is | Where |';

const page = await readDocument('docs/GLOSSARY.md');

type Word = { word: string; files: string[]; collections: string[] };

/** The words of a text in the form of docs/GLOSSARY.md, with the files and collections where they live. */
function wordsOf(text: string): Word[] {
  return tableRows({ file: page.file, text }, HEADER).map(([word = '', , where = '']) => ({
    word,
    files: where.replace(/ \[.*/, '').split(', '),
    collections: [...where.matchAll(/\[(\w+)\]/g)].map(([, name = '']) => name),
  }));
}

/** Those of the paths that the project has not. */
async function missingOf(files: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    files.map((file) =>
      access(path.join(projectFolder, file)).then(
        () => true,
        () => false,
      ),
    ),
  );
  return files.filter((_, index) => found[index] === false);
}

const WORDS = wordsOf(page.text);

test('every word is there once, and says where it lives', () => {
  const names = WORDS.map(({ word }) => word);
  expect(names.length).toBeGreaterThan(60);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  expect(WORDS.filter(({ files }) => files.some((file) => !/^(src|workers|docs)\//.test(file)))).toEqual([]);
});

test('every path that it names exists', async () => {
  expect(await missingOf(WORDS.flatMap(({ files }) => files))).toEqual([]);
});

test.each(['docs/ARCHITECTURE.md', 'CONTRIBUTING.md'])('every path that %s names exists', async (file) => {
  const { text } = await readDocument(file);
  const paths = [...text.matchAll(/`((?:src|workers|test|scripts|deploy|docs|examples)\/[^`*…]*)`/g)];
  expect(paths.length).toBeGreaterThan(5);
  expect(await missingOf(paths.map(([, name = '']) => name))).toEqual([]);
});

test('every collection that it names is stated in a model or store', async () => {
  const files = (await readdir(path.join(projectFolder, 'src'), { recursive: true })).filter((file) =>
    /\.(model|store)\.ts$/.test(file),
  );
  const texts = await Promise.all(
    files.map((file) => readFile(path.join(projectFolder, 'src', file), 'utf8')),
  );
  const code = texts.join('\n');
  const names = WORDS.flatMap(({ collections }) => collections);
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !code.includes(`'${name}'`))).toEqual([]);
});

test('control: a path that is gone is noticed', async () => {
  const row = '| planted | nothing | `src/planted/gone.ts` [`planted`] |';
  const planted = wordsOf(`${HEADER}\n|---|---|---|\n${row}\n`);
  expect(planted).toEqual([{ word: 'planted', files: ['src/planted/gone.ts'], collections: ['planted'] }]);
  expect(await missingOf(['src/planted/gone.ts', 'src/api.ts'])).toEqual(['src/planted/gone.ts']);
});
