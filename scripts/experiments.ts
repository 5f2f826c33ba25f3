import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');

export type Experiments<Finding> = {
  /** Jest's exit code. */
  code: number;
  findings: Finding[];
  minutes: string;
  /** `2 cores, Node 20.19.0, 2026-11-26` */
  machine: string;
};

/** Runs the suites of a tier with these Jest arguments and returns what they recorded with `noteFinding`. */
export async function runExperiments<Finding>(
  tier: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Experiments<Finding>> {
  const file = path.join(root, `test-results/${tier}.jsonl`);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, '');
  const beganAt = performance.now();
  const jest = spawn(process.execPath, ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', ...args], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env, TEST_TIER: tier, FINDINGS: file },
  });
  const [code] = (await once(jest, 'close')) as [number | null];
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
  return {
    code: code ?? 1,
    findings: lines.map((line) => JSON.parse(line) as Finding),
    minutes: ((performance.now() - beganAt) / 60_000).toFixed(1),
    machine: `${cpus().length} cores, Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}`,
  };
}
