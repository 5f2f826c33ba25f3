import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';
import { projectFolder } from '../architecture/planted-tree.ts';
import { temporaryFolder } from '../embedded/temporary-folder.ts';

/** Bundles the command into one file that Node runs. */
export async function builtCommand(): Promise<string> {
  const outfile = path.join(await temporaryFolder(), 'partner.mjs');
  const requireOfBundle =
    "import { createRequire as requireOfBundle } from 'node:module';\nconst require = requireOfBundle(import.meta.url);";
  await build({
    entryPoints: [path.join(projectFolder, 'packages/client/src/cli/partner.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    logLevel: 'silent',
    banner: { js: requireOfBundle },
  });
  return outfile;
}

/** A file that has nothing but the key. */
export async function keyFileOf(apiKey: string): Promise<string> {
  const file = path.join(await temporaryFolder(), 'key');
  await writeFile(file, `${apiKey}\n`, { mode: 0o600 });
  return file;
}
