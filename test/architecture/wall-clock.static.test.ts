import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from '@swc/core';
import { projectFolder } from './planted-tree.ts';

type SyntaxNode = Record<string, unknown>;

/** Where `source` asks the machine for the time, in the words of the code: `new Date()`, `Date()`, `Date.now`, `Temporal.Now`. */
async function clockReadings(source: string): Promise<string[]> {
  const found: string[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const reading = clockReading(value as SyntaxNode);
    if (reading !== undefined) found.push(reading);
    Object.values(value).forEach(visit);
  };
  visit(await parse(source, { syntax: 'typescript', target: 'es2022' }));
  return found;
}

function clockReading(node: SyntaxNode): string | undefined {
  const callee = identifier(node['callee']);
  if (node['type'] === 'CallExpression' && callee === 'Date') return 'Date()';
  if (node['type'] === 'NewExpression' && callee === 'Date') {
    return Array.isArray(node['arguments']) && node['arguments'].length > 0 ? undefined : 'new Date()';
  }
  const member = `${identifier(node['object'])}.${identifier(node['property'])}`;
  return ['Date.now', 'Temporal.Now'].includes(member) ? member : undefined;
}

function identifier(node: unknown): string {
  return String((node as SyntaxNode | null | undefined)?.['value']);
}

const timeless = (await readdir(path.join(projectFolder, 'src'), { recursive: true }))
  .filter((file) => /\.(service|rules|store)\.ts$/.test(file))
  .map((file) => path.join('src', file));

describe('no service, rule or store reads the wall clock: the time is given to it', () => {
  test.each(timeless)('%s', async (file) => {
    expect(await clockReadings(await readFile(path.join(projectFolder, file), 'utf8'))).toEqual([]);
  });
});

describe('a planted reading of the wall clock is noticed', () => {
  test.each([
    ['const at = new Date();', 'new Date()'],
    ['const at = new Date;', 'new Date()'],
    ['const place = (at = new Date()) => at;', 'new Date()'],
    ['const at = Date();', 'Date()'],
    ['const atMs: number = Date.now();', 'Date.now'],
    ['const clock = { now: Date.now };', 'Date.now'],
    ['const at = Temporal.Now.instant();', 'Temporal.Now'],
  ])('%s', async (source, reading) => {
    expect(await clockReadings(source)).toEqual([reading]);
  });

  test.each([
    'const at = new Date(atMs);',
    'const at = clock.now();',
    '// new Date() would be wrong here',
    "const said = 'Date.now()';",
  ])('but this is none: %s', async (source) => {
    expect(await clockReadings(source)).toEqual([]);
  });
});
