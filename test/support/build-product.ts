import { execFile } from 'node:child_process';
import { cp, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { PRODUCT_FOLDER, projectFolder } from './worker-process.ts';

/** Compiles the service of this working tree for the tests that spawn it; types are checked elsewhere (`npm run check`). */
export async function buildProduct(): Promise<void> {
  const compiler = path.join(projectFolder, 'node_modules/typescript/bin/tsc');
  const options = ['-p', 'tsconfig.build.json', '--noCheck', '--outDir', PRODUCT_FOLDER];
  await rm(PRODUCT_FOLDER, { recursive: true, force: true });
  await promisify(execFile)(process.execPath, [compiler, ...options], { cwd: projectFolder });
  const assets = 'src/console/assets';
  await cp(path.join(projectFolder, assets), path.join(PRODUCT_FOLDER, assets), { recursive: true });
}
