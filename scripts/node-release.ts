/**
 * `node --import tsx scripts/node-release.ts image|oldest|VERSION`: prints the folder with the `node` of this release,
 * to put on the PATH. The first call downloads about 50 MB with npm, into the cache folder.
 */

import { mkdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { extract } from 'tar';
import { cacheFolder, withScratchFolder } from '../src/development/embedded/binary-cache.ts';
import { type Environment, isExecutable, runCommand } from '../src/development/embedded/run-command.ts';

/** `image`: the newest release of the Dockerfile's image. `oldest`: the oldest that package.json allows. */
export const NODE_RELEASES: Readonly<Record<string, string>> = { image: '24.21.0', oldest: '20.19.0' };

/** @throws Error if the npm registry lacks this release for this platform, or cannot be reached */
async function nodeFolder(version: string, env: Environment): Promise<string> {
  const home = path.join(cacheFolder(env), `node-${version}`);
  if (await isExecutable(path.join(home, 'node'))) return home;
  await withScratchFolder(env, async (folder) => {
    const name = `node-${process.platform}-${process.arch}`;
    const archive = await runCommand(
      'npm',
      ['pack', `${name}@${version}`, '--silent', '--pack-destination', folder],
      env,
    );
    await extract({
      file: path.join(folder, archive.trim()),
      cwd: folder,
      filter: (each) => each.endsWith('/bin/node'),
    });
    await mkdir(home, { recursive: true });
    await rename(path.join(folder, 'package/bin/node'), path.join(home, 'node'));
  });
  return home;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , release = ''] = process.argv;
  console.log(await nodeFolder(NODE_RELEASES[release] ?? release, process.env));
}
