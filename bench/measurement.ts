import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';
import { projectFolder } from './processes.ts';

/** When, at which commit and on which machine a measurement was made, and how long it took. */
export type Measurement = {
  at: string;
  commit: string;
  machine: { cores: number; cpu: string; node: string };
  minutes: number;
};

/** @param beganAt from `performance.now()` */
export function measurementSince(beganAt: number): Measurement {
  return {
    at: new Date().toISOString(),
    commit: commitOfTree(),
    machine: { cores: cpus().length, cpu: cpus()[0]?.model ?? 'unknown', node: process.versions.node },
    minutes: (performance.now() - beganAt) / 60_000,
  };
}

/** The commit of the working tree; `unknown` without git. */
function commitOfTree(): string {
  try {
    const args = ['describe', '--always', '--dirty', '--abbrev=8'];
    return execFileSync('git', args, { cwd: projectFolder, encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
}

export const measurementText = ({ at, commit, machine }: Measurement): string =>
  `${at.slice(0, 10)}, ${commit}: ${machine.cores} cores (${machine.cpu}), Node ${machine.node}`;

/** A section of figures in a page: facts about the measurement and a table. */
export function sectionOf(facts: string, heading: readonly string[], rows: readonly string[][]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return ['', facts, '', line(heading), line(heading.map(() => '---')), ...rows.map(line), ''].join('\n');
}
