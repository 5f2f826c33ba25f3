import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';
import { projectFolder } from '../architecture/planted-tree.ts';
import { temporaryFolder } from '../embedded/temporary-folder.ts';

/** A change of the source that takes a guard away. */
export type Fault = { file: string; from: string; to: string };

/**
 * The command as one file that Node runs, as it is or with a fault in it. @throws where the source has not the text that the fault
 * replaces
 */
export async function builtCommand(fault?: Fault): Promise<string> {
  const outfile = path.join(await temporaryFolder(), 'partner.mjs');
  const source = path.join(projectFolder, 'packages/client/src/cli');
  await build({
    ...{ entryPoints: [path.join(source, 'partner.ts')], outfile, bundle: true, platform: 'node' },
    ...{ target: 'node20', format: 'esm', logLevel: 'silent' },
    banner: {
      js: "import { createRequire as requireOfBundle } from 'node:module';\nconst require = requireOfBundle(import.meta.url);",
    },
    plugins: [
      {
        name: 'fault',
        setup: ({ onLoad }) => {
          if (fault === undefined) return;
          onLoad({ filter: new RegExp(`/cli/${fault.file}$`) }, async ({ path: file }) => {
            const text = await readFile(file, 'utf8');
            if (!text.includes(fault.from)) throw new Error(`${fault.file} has not: ${fault.from}`);
            return { contents: text.replace(fault.from, fault.to), loader: 'ts' };
          });
        },
      },
    ],
  });
  return outfile;
}

/** A file that has nothing but the key. */
export async function keyFileOf(apiKey: string): Promise<string> {
  const file = path.join(await temporaryFolder(), 'key');
  await writeFile(file, `${apiKey}\n`, { mode: 0o600 });
  return file;
}
