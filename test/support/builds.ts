import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { PRODUCT_FOLDER } from './worker-process.ts';

const projectFolder = path.resolve(import.meta.dirname, '../..');
const packagesFolder = path.join(projectFolder, '.cache/test-packages');

/** Compiles the service of this working tree; types are checked elsewhere (`npm run check`). */
export async function buildProduct(): Promise<void> {
  const compiler = path.join(projectFolder, 'node_modules/typescript/bin/tsc');
  const options = ['-p', 'tsconfig.build.json', '--noCheck', '--outDir', PRODUCT_FOLDER];
  await promisify(execFile)(process.execPath, [compiler, ...options], { cwd: projectFolder });
  const assets = 'src/console/assets';
  await cp(path.join(projectFolder, assets), path.join(PRODUCT_FOLDER, assets), { recursive: true });
}

/**
 * Makes one file of each package of `bundled-packages.json`, for jest.config.mjs to put in its place: jest loads every file
 * of a package anew for every suite, and these have hundreds. Nothing else about the package changes.
 */
export async function bundlePackages(): Promise<void> {
  const list = await readFile(path.join(import.meta.dirname, 'bundled-packages.json'), 'utf8');
  const names = JSON.parse(list) as string[];
  await mkdir(packagesFolder, { recursive: true });
  await Promise.all(names.map((name) => bundlePackage(name, names)));
}

async function bundlePackage(name: string, names: readonly string[]): Promise<void> {
  const { outputFiles } = await build({
    stdin: { contents: `module.exports = require('${name}');`, resolveDir: projectFolder },
    bundle: true,
    platform: 'node',
    target: 'node20',
    // The others are shared, as they are when they are not bundled.
    external: [...names.filter((other) => other !== name), ...OPTIONAL_PEERS],
    write: false,
    logLevel: 'error',
  });
  const file = path.join(packagesFolder, `${name}.cjs`);
  for (const { contents } of outputFiles) await writeFile(`${file}.${process.pid}`, contents);
  // At once, for another run of the tests may be reading.
  await rename(`${file}.${process.pid}`, file);
}

/** What the MongoDB driver uses where it is installed. */
const OPTIONAL_PEERS = [
  ...['@aws-sdk/*', '@mongodb-js/zstd', 'gcp-metadata', 'kerberos'],
  ...['mongodb-client-encryption', 'snappy', 'socks'],
];
