/** How a child Node process is told to load a file of this project. */

import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

/** Arguments for `process.execPath` that run `file`: plain for JavaScript, through tsx for TypeScript. */
export function nodeArguments(file: string): string[] {
  if (!file.endsWith('.ts')) return [file];
  const tsx = createRequire(import.meta.url).resolve('tsx');
  return ['--import', pathToFileURL(tsx).href, file];
}
