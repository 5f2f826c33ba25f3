// Checks the imports of src/ and workers/ in the current folder: `node scripts/check-dependency-rules.mjs`. The rules
// are in .dependency-cruiser.cjs, except one: a component may read a neighbour's store but writes only its own.
// Exits 1 on a violation, and on an unread file: without a parser, dependency-cruiser skips files and still succeeds.

import { readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
// Import swc here to fail without it: dependency-cruiser would fall back to a parser that misses type-only imports.
import swc from '@swc/core';
import { cruise, format } from 'dependency-cruiser';
import readOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';

const roots = ['src', 'workers'];
const rules = fileURLToPath(new URL('../.dependency-cruiser.cjs', import.meta.url));

/** Names of store functions that only read. */
const READ = /^(find|list|count|has|is|read|measure)[A-Z]/;
/** The aggregate that all components of `SHARED_BY` change. */
const SHARED = 'src/reservations';
const SHARED_BY = new Set([
  'src/catalog/slots',
  'src/booking/holds',
  'src/catalog/grants',
  'src/booking/bookings',
  'src/operations/customers',
  'src/webhooks/deliveries',
]);
/** The migration may write the rows of every component. */
const MIGRATION = 'src/operations/database';

// dependency-cruiser parses .tsx files without JSX.
const { parseFileSync } = swc;
swc.parseFileSync = (file, options) => parseFileSync(file, { ...options, tsx: file.endsWith('.tsx') });

const { output: result } = await cruise(roots, await readOptions(rules));
const report = await format(result, { outputType: 'err' });
console.log(report.output);

const onDisk = roots.flatMap((root) =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.[cm]?[jt]sx?$/.test(name))
    .map((name) => path.join(root, name)),
);
const read = new Set(result.modules.map((module) => module.source));
const unread = onDisk.filter((file) => !read.has(file));
console.log(`${onDisk.length - unread.length} of ${onDisk.length} source files read`);
for (const file of unread) console.error(`not read: ${file}`);

const foreignWrites = onDisk.filter((file) => /\.tsx?$/.test(file)).flatMap(writesOfNeighbours);
for (const write of foreignWrites) console.error(`error writes-only-its-own-store: ${write}`);

if (report.exitCode > 0 || foreignWrites.length > 0 || unread.length > 0 || onDisk.length === 0) {
  process.exitCode = 1;
}

/** Imports of `file` from other components' stores, except types and functions that only read. */
function writesOfNeighbours(file) {
  const { body } = swc.parseFileSync(file, { syntax: 'typescript' });
  return body.flatMap((statement) => {
    const store = statement.source?.value;
    if (!store?.endsWith('.store.ts') || statement.typeOnly) return [];
    const target = path.join(path.dirname(file), store);
    if (!isNeighbour(path.dirname(file), path.dirname(target))) return [];
    return namesOf(statement)
      .filter((name) => !READ.test(name))
      .map((name) => `${file} → ${name} of ${target}`);
  });
}

/** The names of the values that a statement imports or re-exports; `*` for all. */
function namesOf({ type, specifiers = [] }) {
  if (type === 'ExportAllDeclaration') return ['*'];
  return specifiers
    .filter(({ isTypeOnly }) => isTypeOnly !== true)
    .map((each) => {
      if (each.type === 'ImportSpecifier') return (each.imported ?? each.local).value;
      return each.type === 'ExportSpecifier' ? each.orig.value : '*';
    });
}

function isNeighbour(from, to) {
  if (from === to || from === MIGRATION || !to.startsWith('src/') || to === 'src/platform') return false;
  return to !== SHARED || !SHARED_BY.has(from);
}
