import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from '@swc/core';
import { projectFolder } from './planted-tree.ts';

type SyntaxNode = Record<string, unknown>;

/** The expressions in `source` that read the machine's clock: `new Date()`, `Date()`, `Date.now`, `Temporal.Now`. */
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

test('no service, rule or store reads the wall clock; callers pass the time', async () => {
  expect(timeless.length).toBeGreaterThan(100);
  for (const file of timeless) {
    const source = await readFile(path.join(projectFolder, file), 'utf8');
    expect([file, await clockReadings(source)]).toEqual([file, []]);
  }
  expect(await clockReadings('const at = [new Date(), Date(), Date.now, Temporal.Now]')).toHaveLength(4);
});
