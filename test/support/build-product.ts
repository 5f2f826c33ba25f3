import { execFile } from 'node:child_process';
import { cp, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { isLongTier } from './scale.ts';
import { PRODUCT_FOLDER, projectFolder } from './worker-process.ts';

/** The documentation for processes that run from source. */
const SITE_FOLDER = path.join(projectFolder, '.site');

/** Builds the documentation as `npm start` does, if it is missing or older than its sources. */
export async function buildSiteOfTests(): Promise<void> {
  const script = path.join(projectFolder, 'scripts/build-site.ts');
  await promisify(execFile)(process.execPath, ['--import', 'tsx', script], { cwd: projectFolder });
}

/**
 * Compiles the service for the tests that spawn it, without checking types. In the short tiers, each worker is one
 * bundled file: the tests start a hundred workers, and a bundle needs half the processor time to start. The long tiers
 * measure the build that is shipped.
 */
export async function buildProduct(): Promise<void> {
  await rm(PRODUCT_FOLDER, { recursive: true, force: true });
  await compileProduct(PRODUCT_FOLDER);
  const assets = 'src/console/assets';
  await cp(path.join(projectFolder, assets), path.join(PRODUCT_FOLDER, assets), { recursive: true });
  await cp(SITE_FOLDER, path.join(PRODUCT_FOLDER, '.site'), { recursive: true });
  if (!isLongTier) await bundleWorkers();
}

/** Compiles API and workers as they are shipped, without the pages that the API serves. */
export async function compileProduct(folder: string): Promise<void> {
  const compiler = path.join(projectFolder, 'node_modules/typescript/bin/tsc');
  const options = ['-p', 'tsconfig.build.json', '--noCheck', '--outDir', folder];
  await promisify(execFile)(process.execPath, [compiler, ...options], { cwd: projectFolder });
}

async function bundleWorkers(): Promise<void> {
  await build({
    absWorkingDir: projectFolder,
    entryPoints: ['workers/*.ts'],
    outdir: path.join(PRODUCT_FOLDER, 'workers'),
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    // Bundled CommonJS packages load Node's modules with `require`.
    banner: {
      js: "import { createRequire as requireOfBundle } from 'node:module';\nconst require = requireOfBundle(import.meta.url);",
    },
  });
}
