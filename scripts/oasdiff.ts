/** oasdiff compares two OpenAPI documents and names the changes that break clients. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { goProgram } from './go-program.ts';

const OASDIFF = { name: 'oasdiff', module: 'github.com/oasdiff/oasdiff', version: 'v1.36.0' };

const run = promisify(execFile);

/** A change that breaks clients of `base`: certainly at `level` 3, possibly at 2. */
export type BreakingChange = {
  id: string;
  text: string;
  level: number;
  operation: string;
  path: string;
};

/**
 * Breaking changes from the OpenAPI file `base` to `revision`, including webhooks.
 *
 * @throws Error if oasdiff cannot be built
 */
export async function breakingChanges(
  base: string,
  revision: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<BreakingChange[]> {
  const oasdiff = await goProgram(OASDIFF, env);
  const args = ['breaking', '--flatten-allof', '--format', 'json', base, revision];
  const { stdout } = await run(oasdiff, args, { maxBuffer: 64 * 1024 * 1024 });
  return stdout.trim() === '' ? [] : (JSON.parse(stdout) as BreakingChange[]);
}
