import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { create } from 'tar';
import { CLIENT_PACKAGE } from './client-package.ts';

/** The example that partners download as a folder, and the path of its archive on the site. */
export const BOX_OFFICE = 'examples/box-office';
export const ARCHIVE_URL = '/docs/downloads/box-office.tgz';

/** Files that a run of the example creates in its folder. */
const RUN_FILES = /^(?:node_modules|data[^/]*|\.env)$/;

/**
 * Packs the box office into the site in `folder`, reproducibly. Call it after `packClient`: the archive contains the
 * client's package, so that the example can be installed without the service.
 */
export async function packArchive(root: string, folder: string): Promise<void> {
  const staging = path.join(folder, 'archives');
  const copy = path.join(staging, 'box-office');
  const source = path.join(root, BOX_OFFICE);
  const isSource = (file: string) => !RUN_FILES.test(path.relative(source, file));
  await mkdir(staging, { recursive: true });
  await cp(source, copy, { recursive: true, filter: isSource });
  await includeClient(copy, path.join(folder, CLIENT_PACKAGE));
  const options = { gzip: true, portable: true, mtime: new Date(0) };
  await create({ ...options, file: path.join(folder, ARCHIVE_URL), cwd: staging }, await filesIn(staging));
  await rm(staging, { recursive: true });
}

async function includeClient(copy: string, clientPackage: string): Promise<void> {
  const name = path.basename(clientPackage);
  await cp(clientPackage, path.join(copy, name));
  const file = path.join(copy, 'package.json');
  const manifest = JSON.parse(await readFile(file, 'utf8')) as { dependencies: Record<string, string> };
  manifest.dependencies['partner-booking-client'] = `file:${name}`;
  await writeFile(file, `${JSON.stringify(manifest, null, 2)}\n`);
}

/** The files, sorted by name because the file system's order varies. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .toSorted();
}
