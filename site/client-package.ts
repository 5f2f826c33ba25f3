import { execFile } from 'node:child_process';
import { cp, mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The path of the client's package on the site. Partners install it from the service, not from a registry. */
export const CLIENT_PACKAGE = '/docs/downloads/partner-booking-client.tgz';

/** Builds the client of the project in `root`, and writes its `npm pack` archive into the site in `folder`. */
export async function packClient(root: string, folder: string): Promise<void> {
  const source = path.join(root, 'packages/client');
  const staging = path.join(folder, 'client-package');
  const target = path.join(folder, CLIENT_PACKAGE);
  const downloads = path.dirname(target);
  await mkdir(downloads, { recursive: true });
  await run(process.execPath, [path.join(source, 'scripts/build.mjs'), path.join(staging, 'dist')]);
  for (const file of ['package.json', 'README.md']) await cp(path.join(source, file), path.join(staging, file));
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', downloads], { cwd: staging });
  const [archive] = JSON.parse(stdout) as { filename: string }[];
  await rename(path.join(downloads, archive?.filename ?? ''), target);
  await rm(staging, { recursive: true });
}
