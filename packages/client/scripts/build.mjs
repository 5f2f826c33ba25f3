// Builds the published package into dist/ or another folder: `node scripts/build.mjs [folder]`. Bundles the command
// `partner` into one file, so that installing the client does not install the command's dependencies. Writes the
// licences of the bundled packages to partner.licences.txt, and fails if a package has no licence text.

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
  // Not bundled, because the package depends on it.
  external: ['openapi-fetch'],
  // Bundled CommonJS packages load Node's modules with `require`.
  banner: {
    js: "import { createRequire as requireOfBundle } from 'node:module';\nconst require = requireOfBundle(import.meta.url);",
  },
  metafile: true,
});

const packages = new Set(
  Object.keys(metafile.inputs).flatMap((file) => {
    const [packageFolder] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? [];
    return packageFolder === undefined ? [] : [path.resolve(folder, packageFolder)];
  }),
);
const texts = await Promise.all([...packages].toSorted().map(licenceOf));
await writeFile(path.join(dist, 'partner.licences.txt'), texts.join(`\n${'-'.repeat(80)}\n\n`));

async function licenceOf(packageFolder) {
  const { name, version, license } = JSON.parse(await readFile(path.join(packageFolder, 'package.json'), 'utf8'));
  const file = (await readdir(packageFolder)).find((each) => /^licen[cs]e/i.test(each));
  if (file === undefined) throw new Error(`${name} has no licence text: it cannot be bundled`);
  return `${name} ${version} (${license})\n\n${await readFile(path.join(packageFolder, file), 'utf8')}`;
}
