// Makes what partners install: `node scripts/build.mjs [folder]`, into dist/ unless stated. The command `partner` is one file, so that
// whoever installs the client installs none of what the command is made of. The licences of what is bundled go beside it; a package
// without a licence text fails the build.

import { execFileSync } from 'node:child_process';
import { copyFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const folder = fileURLToPath(new URL('..', import.meta.url));
const dist = path.resolve(process.argv[2] ?? path.join(folder, 'dist'));

await rm(dist, { recursive: true, force: true });
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
execFileSync(process.execPath, [compiler, '-p', folder, '--outDir', dist], { stdio: 'inherit' });
await copyFile(path.join(folder, 'src/schema.d.ts'), path.join(dist, 'schema.d.ts'));

const { metafile } = await build({
  absWorkingDir: folder,
  entryPoints: ['src/cli/partner.ts'],
  outfile: path.join(dist, 'partner.js'),
  bundle: true,
  minify: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  // The one thing that the package depends on anyway.
  external: ['openapi-fetch'],
  // Packages that are CommonJS ask for Node's modules with it.
  banner: {
    js: "import { createRequire as requireOfBundle } from 'node:module';\nconst require = requireOfBundle(import.meta.url);",
  },
  metafile: true,
});

const packages = new Set(
  Object.keys(metafile.inputs).flatMap((file) => {
    const [found] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? [];
    return found === undefined ? [] : [path.resolve(folder, found)];
  }),
);
const texts = await Promise.all([...packages].toSorted().map(licenceOf));
await writeFile(path.join(dist, 'partner.licences.txt'), texts.join(`\n${'-'.repeat(80)}\n\n`));

/** Name, version, licence and its whole text. */
async function licenceOf(place) {
  const { name, version, license } = JSON.parse(await readFile(path.join(place, 'package.json'), 'utf8'));
  const file = (await readdir(place)).find((each) => /^licen[cs]e/i.test(each));
  if (file === undefined) throw new Error(`${name} has no licence text: it cannot be bundled`);
  return `${name} ${version} (${license})\n\n${await readFile(path.join(place, file), 'utf8')}`;
}
