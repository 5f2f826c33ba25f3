import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { PlantedTree } from './planted-tree.ts';
import { plantTree, projectFolder, runNode } from './planted-tree.ts';

/** Rule → the file that breaks it and the code that does. One file may hold several. */
const violations: [rule: string, file: string, code: string][] = [
  [
    'typescript(no-floating-promises)',
    'src/floating.ts',
    'export function start(): void {\n  Promise.resolve(1);\n}',
  ],
  [
    'typescript(no-misused-promises)',
    'src/misused.ts',
    'export function all(items: number[]): void {\n  items.forEach(async () => Promise.resolve());\n}',
  ],
  [
    'typescript(await-thenable)',
    'src/await.ts',
    'export const one = async (): Promise<number> => {\n  await 1;\n  return 1;\n};',
  ],
  ['typescript(no-explicit-any)', 'src/any.ts', 'export const anything: any = 1;'],
  [
    'typescript(no-unsafe-member-access)',
    'src/unsafe.ts',
    "export const name: unknown = JSON.parse('{}').name;",
  ],
  [
    'typescript(no-non-null-assertion)',
    'src/non-null.ts',
    'export const size = (text?: string): number => text!.length;',
  ],
  [
    'typescript(switch-exhaustiveness-check)',
    'src/switch.ts',
    "export function sign(kind: 'a' | 'b'): number {\n  switch (kind) {\n    case 'a':\n      return 1;\n  }\n  return 0;\n}",
  ],
  ['typescript(only-throw-error)', 'src/throw.ts', "export function fail(): void {\n  throw 'no';\n}"],
  ['typescript(ban-ts-comment)', 'src/ignore.ts', '// @ts-ignore\nexport const one: number = 1;'],
  ['import(no-default-export)', 'src/default.ts', 'export default function main(): void {}'],
  [
    'import(no-cycle)',
    'src/ring-a.ts',
    "import { b } from './ring-b.ts';\nexport const a = (): number => b();",
  ],
  [
    'import(no-cycle)',
    'src/ring-b.ts',
    "import { a } from './ring-a.ts';\nexport const b = (): number => a();",
  ],
  ['unicorn(filename-case)', 'src/camelCase.ts', 'export const one = 1;'],
  ['eslint(eqeqeq)', 'src/equal.ts', 'export const same = (a: string, b: string): boolean => a == b;'],
  ['eslint(no-console)', 'src/console.ts', "console.log('seen');"],
  ['eslint(no-console)', 'workers/console.ts', "console.error('seen');"],
  ['eslint(no-restricted-properties)', 'src/env.ts', "export const port = process.env['PORT'];"],
  [
    'eslint(no-restricted-properties)',
    'src/env-taken.ts',
    'const { env } = process;\nexport const port = env;',
  ],
  [
    'eslint(no-restricted-imports)',
    'src/env-imported.ts',
    "import { env } from 'node:process';\nexport const port = env;",
  ],
  ['unicorn(no-process-exit)', 'src/exit.ts', 'process.exit(1);'],
  [
    'eslint(no-restricted-imports)',
    'src/venues/venues.service.ts',
    "import { rows } from './venues.model.ts';\nexport const all = (): number => rows.length;",
  ],
  [
    'eslint(no-restricted-imports)',
    'src/venues/venues.rules.ts',
    "import { all } from './venues.service.ts';\nexport const twice = (): number => all() * 2;",
  ],
  [
    'eslint(max-lines-per-function)',
    'src/long.ts',
    `export function long(): void {\n${'  long();\n'.repeat(110)}}`,
  ],
  [
    'jest(no-focused-tests)',
    'test/only.test.ts',
    testFile("test.only('one', () => {\n  expect(1).toBe(1);\n});"),
  ],
  [
    'jest(no-disabled-tests)',
    'test/skip.test.ts',
    testFile("test.skip('one', () => {\n  expect(1).toBe(1);\n});"),
  ],
  [
    'jest(expect-expect)',
    'test/empty.test.ts',
    testFile("test('one', () => {});\ntest('two', () => {\n  expect(1).toBe(1);\n});"),
  ],
];

const lawful = {
  'src/config/config.ts': "export const port = process.env['PORT'];\n",
  'src/development/start.ts': "console.log(process.env['PORT']);\n",
  'src/development/demo.ts': "console.log(process.env['PORT']);\n",
  'src/venues/venues.model.ts': 'export type Row = { id: string };\nexport const rows: Row[] = [];\n',
  'src/venues/venues.store.ts':
    "import { rows } from './venues.model.ts';\nexport const count = (): number => rows.length;\n",
  'src/venues/view.rules.ts':
    "import type { Row } from './venues.model.ts';\nexport const idOf = (row: Row): string => row.id;\n",
};

let tree: PlantedTree;
let reported: string[];

beforeAll(async () => {
  const planted = violations.map(([, file, code]) => [file, `${code}\n`]);
  tree = await plantTree({ ...lawful, ...Object.fromEntries(planted) });
  const { output } = await runNode(tree.folder, [
    path.join(projectFolder, 'node_modules/oxlint/bin/oxlint'),
    '-f',
    'unix',
  ]);
  reported = output.split('\n');
});
afterAll(() => tree.remove());

describe('the linter catches', () => {
  test.each(violations)('%s in %s', (rule, file) => {
    expect(reported.filter((line) => line.startsWith(`${file}:`)).join('\n')).toContain(`[Error/${rule}]`);
  });
});

describe('the linter lets be', () => {
  test.each(Object.keys(lawful))('%s', (file) => {
    expect(reported.filter((line) => line.startsWith(`${file}:`))).toEqual([]);
  });
});

function testFile(body: string): string {
  return `import { expect, test } from '@jest/globals';\n\n${body}`;
}
