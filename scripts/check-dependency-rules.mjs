// Holds src/ and workers/ of the current folder to .dependency-cruiser.cjs: `node scripts/check-dependency-rules.mjs`.
// Exits 1 on a violation, and also when not everything was read: where dependency-cruiser lacks a parser it reads
// less, down to no module at all, finds nothing wrong with that and says so.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
// Fails here when it cannot be loaded; dependency-cruiser would fall back to a parser that misses type-only imports.
import swc from '@swc/core';
import { cruise, format } from 'dependency-cruiser';
import readOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';

// dependency-cruiser asks for TypeScript without JSX, whatever the file's name ends with.
const { parseFileSync } = swc;
swc.parseFileSync = (file, options) => parseFileSync(file, { ...options, tsx: file.endsWith('.tsx') });

const roots = ['src', 'workers'];
const rules = fileURLToPath(new URL('../.dependency-cruiser.cjs', import.meta.url));

const { output: result } = await cruise(roots, await readOptions(rules));
const report = await format(result, { outputType: 'err' });
console.log(report.output);

const onDisk = roots.flatMap((root) =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.[cm]?[jt]sx?$/.test(name))
    .map((name) => join(root, name)),
);
const read = new Set(result.modules.map((module) => module.source));
const unread = onDisk.filter((file) => !read.has(file));
console.log(`${onDisk.length - unread.length} of ${onDisk.length} source files read`);
for (const file of unread) console.error(`not read: ${file}`);

if (report.exitCode > 0 || unread.length > 0 || onDisk.length === 0) process.exitCode = 1;
