import { execFile } from 'node:child_process';

/**
 * Why tests that run `programs` are skipped on this machine, for their title: ` (skipped: no go on the PATH)`. Empty if
 * all programs exist. `programs` maps each program to an argument with which it exits immediately.
 */
export async function reasonToSkip(programs: Record<string, string>): Promise<string> {
  const probes = Object.entries(programs);
  const present = await Promise.all(probes.map(([program, argument]) => succeeds(program, argument)));
  const missing = probes.filter((_, index) => present[index] !== true).map(([program]) => program);
  return missing.length === 0 ? '' : ` (skipped: no ${missing.join(', ')} on the PATH)`;
}

function succeeds(program: string, argument: string): Promise<boolean> {
  return new Promise((resolve) => {
    execFile(program, [argument], (error) => resolve(error === null));
  });
}
