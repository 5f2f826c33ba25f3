/** promtool is Prometheus' own checker of configuration and rules. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { goProgram } from './go-program.ts';

/** Built without service discovery, which takes most of the build time. */
const PROMTOOL = {
  name: 'promtool',
  module: 'github.com/prometheus/prometheus/cmd/promtool',
  version: 'v0.316.0',
  tags: ['remove_all_sd'],
};

const run = promisify(execFile);

/**
 * Runs promtool in `folder`. The first call builds it from source, in two minutes.
 *
 * @throws Error with promtool's output if it finds a fault, or if promtool cannot be built
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
