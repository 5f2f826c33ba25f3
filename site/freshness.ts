import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { MARKER } from './build.ts';

/** The sources of the site. `newestIn` also checks folders, whose times change when a file is deleted. */
const SOURCES = [
  ...['CHANGELOG.md', 'package-lock.json', 'docs', 'examples', 'site', 'src/domain/error-registry.ts'],
  ...['README.md', 'package.json', 'src', 'scripts'].map((name) => `packages/client/${name}`),
];

/** Whether the site in `folder` exists and is newer than all its sources. */
export async function isSiteFresh(root: string, folder: string): Promise<boolean> {
  const builtAt = await changedAt(path.join(folder, MARKER)).catch(() => 0);
  const times = await Promise.all(SOURCES.map((source) => newestIn(path.join(root, source))));
  return builtAt > Math.max(...times);
}

async function newestIn(file: string): Promise<number> {
  const below = await readdir(file, { recursive: true }).catch(() => []);
  return Math.max(...(await Promise.all(['', ...below].map((name) => changedAt(path.join(file, name))))));
}

const changedAt = async (file: string): Promise<number> => (await stat(file)).mtimeMs;
