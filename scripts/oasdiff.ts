/** oasdiff, which compares two descriptions of an interface and names what breaks clients. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { goProgram } from './go-program.ts';

const OASDIFF = { name: 'oasdiff', module: 'github.com/oasdiff/oasdiff', version: 'v1.36.0' };

const run = promisify(execFile);

/** What a client of `base` would not survive; `level` 3 breaks it for certain, 2 may. */
export type BreakingChange = {
  id: string;
  text: string;
  level: number;
  operation: string;
  path: string;
};

/**
 * Breaking changes from one OpenAPI document to another, webhooks included; both are files.
 *
 * @throws Error when oasdiff is not there and cannot be built (`goProgram`)
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
