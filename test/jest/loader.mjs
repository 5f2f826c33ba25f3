import { readFile, stat } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transform } from '@swc/core';
import { SWC_OPTIONS } from './swc-options.mjs';

/** @type {string} URL of the project's folder, with a slash at its end */
let project;
/** @param {string} folder */
export function initialize(folder) {
  project = `${pathToFileURL(folder).href}/`;
}

const isOwn = (url) => url.startsWith(project) && !url.includes('/node_modules/');

/** A module of this project is another one for each suite, which the query of its address names; packages are shared. */
export async function resolve(specifier, context, next) {
  const suite = new URL(context.parentURL ?? project).searchParams.get('suite');
  const found = await next(
    specifier === '@jest/globals' ? new URL('globals.mjs', import.meta.url).href : specifier,
    context,
  );
  return suite !== null && isOwn(found.url) ? { ...found, url: `${found.url}?suite=${suite}` } : found;
}

/** @type {Map<string, Promise<string>>} file and when it was changed → its JavaScript, for all suites of the worker */
const compiled = new Map();

export async function load(url, context, next) {
  if (!isOwn(url) || !/\.tsx?(?:\?|$)/.test(url)) return next(url, context);
  const file = fileURLToPath(url);
  const version = `${file} ${(await stat(file)).mtimeMs}`;
  if (!compiled.has(version)) compiled.set(version, compile(file));
  return { format: 'module', source: await compiled.get(version), shortCircuit: true };
}

async function compile(filename) {
  const { code } = await transform(await readFile(filename, 'utf8'), { ...SWC_OPTIONS, filename });
  return code;
}
