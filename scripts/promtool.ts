/** promtool, by which Prometheus checks its configuration and tries its rules. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { goProgram } from './go-program.ts';

/** Without service discovery, which is most of it and takes the longest to build. */
const PROMTOOL = {
  name: 'promtool',
  module: 'github.com/prometheus/prometheus/cmd/promtool',
  version: 'v0.316.0',
  tags: ['remove_all_sd'],
};

const run = promisify(execFile);

/**
 * Runs promtool in `folder`. It is built from source when it is not there yet, once: two or three minutes.
 *
 * @throws Error with what it has printed where it finds a fault, or when it cannot be built
 */
export async function promtool(
  args: readonly string[],
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const file = await goProgram(PROMTOOL, env);
  await run(file, args, { cwd: folder }).catch((err: Error & { stdout?: string; stderr?: string }) => {
    throw new Error(`promtool ${args.join(' ')} fails:\n${err.stdout ?? ''}${err.stderr ?? ''}`);
  });
}
