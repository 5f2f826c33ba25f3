import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';
import { projectFolder } from './processes.ts';

/** Time, commit and machine of a measurement. */
export type Measured = {
  at: string;
  commit: string;
  machine: { cores: number; cpu: string; node: string };
  minutes: number;
};

/** @param beganAt from `performance.now()` */
export function measuredSince(beganAt: number): Measured {
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

export const measuredText = ({ at, commit, machine }: Measured): string =>
  `${at.slice(0, 10)}, ${commit}: ${machine.cores} cores (${machine.cpu}), Node ${machine.node}`;

/** The text between the marks of a page: the facts and a table. */
export function sectionOf(facts: string, heading: readonly string[], rows: readonly string[][]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return ['', facts, '', line(heading), line(heading.map(() => '---')), ...rows.map(line), ''].join('\n');
}
