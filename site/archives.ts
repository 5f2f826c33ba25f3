import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { create } from 'tar';
import { CLIENT_PACKAGE } from './client-package.ts';

const BOX_OFFICE = 'examples/box-office';

/** Folders of the project that partners get as a whole, and where the site has the archive of each. */
export const ARCHIVES: Readonly<Record<string, string>> = {
  [BOX_OFFICE]: '/docs/downloads/box-office.tgz',
  'docs/collections/bruno': '/docs/downloads/bruno.tgz',
};

/** What somebody who tries the example leaves in its folder. */
const LEFT_BEHIND = /^(?:node_modules|data[^/]*|\.env)$/;

/**
 * Puts the archives into the site in `folder`, which has the client's package already: the same bytes for the same files. The box
 * office takes the client along, so that it is installed without the service.
 */
export async function packArchives(root: string, folder: string): Promise<void> {
  const made = path.join(folder, 'archives');
  for (const [source, url] of Object.entries(ARCHIVES)) {
    const name = path.basename(source);
    const copy = path.join(made, name);
    await mkdir(made, { recursive: true });
    const from = path.join(root, source);
    const isOurs = (file: string) => !LEFT_BEHIND.test(path.relative(from, file));
    await cp(from, copy, { recursive: true, filter: isOurs });
    if (source === BOX_OFFICE) await takeClientAlong(copy, path.join(folder, CLIENT_PACKAGE));
    const file = path.join(folder, url);
    await create(
      { file, cwd: made, gzip: true, portable: true, mtime: new Date(0) },
      await filesIn(made, name),
    );
    await rm(made, { recursive: true });
  }
}

async function takeClientAlong(copy: string, clientPackage: string): Promise<void> {
  const name = path.basename(clientPackage);
  await cp(clientPackage, path.join(copy, name));
  const file = path.join(copy, 'package.json');
  const manifest = JSON.parse(await readFile(file, 'utf8')) as { dependencies: Record<string, string> };
  manifest.dependencies['partner-booking-client'] = `file:${name}`;
  await writeFile(file, `${JSON.stringify(manifest, null, 2)}\n`);
}

/** By name, whatever order the file system has. */
async function filesIn(folder: string, name: string): Promise<string[]> {
  const entries = await readdir(path.join(folder, name), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .toSorted();
}
