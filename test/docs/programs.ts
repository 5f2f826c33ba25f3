import { execFile } from 'node:child_process';
import { describe } from '@jest/globals';

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

/** A block of tests that needs these programs; skipped if one is missing, with the reason in its name. */
export async function describeWith(needs: Record<string, string>, name: string, tests: () => void): Promise<void> {
  const why = await reasonToSkip(needs);
  (why === '' ? describe : describe.skip)(name + why, tests);
}

function succeeds(program: string, argument: string): Promise<boolean> {
  return new Promise((resolve) => {
    execFile(program, [argument], (error) => resolve(error === null));
  });
}
