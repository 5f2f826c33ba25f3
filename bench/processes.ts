import type { ChildProcess, SpawnOptions, StdioOptions } from 'node:child_process';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { nodeArguments } from '../src/development/embedded/processes.ts';
import type { CpuUs } from './report.ts';

const STOP_TIMEOUT_MS = 27_000;

/** Process ids by the processes' names in the report. */
export type Pids = Record<string, number>;

export const projectFolder = fileURLToPath(new URL('..', import.meta.url));

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts a program with only PATH, HOME and `env` as its environment. It is killed when this process exits. */
export function startProgram(
  file: string,
  args: readonly string[],
  env: Record<string, string>,
  options: SpawnOptions,
): ChildProcess {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(file, args, { cwd: projectFolder, env: { PATH, HOME, ...env }, ...options });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/** Starts Node with these arguments and an IPC channel. `output`: file descriptor of its stdout and stderr. */
export function startNode(args: readonly string[], env: Record<string, string>, output = 2): ChildProcess {
  const stdio: StdioOptions = ['ignore', output, output, 'ipc'];
  return startProgram(process.execPath, args, env, { stdio, serialization: 'advanced' });
}

/** Starts a TypeScript file of the benchmark as a process of its own. */
export function startScript(url: URL, args: readonly string[] = []): ChildProcess {
  return startNode([...nodeArguments(fileURLToPath(url)), ...args], {});
}

/** The first message of a process. Rejects if the process ends before sending one. */
export async function firstMessage<T>(child: ChildProcess, name: string): Promise<T> {
  const ended = once(child, 'exit').then(([code, signal]): never => {
    throw new Error(`${name} ended (${String(signal ?? code)}) before it was ready`);
  });
  const [message] = (await Promise.race([once(child, 'message'), ended])) as [T];
  ended.catch(() => undefined);
  return message;
}

/** Resumes a frozen process, sends SIGTERM, after 27 s SIGKILL, and waits until the process has ended. */
export async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGCONT');
  child.kill('SIGTERM');
  const killTimer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await ended;
  clearTimeout(killTimer);
}

let ticks: number | undefined;
const ticksPerSecond = (): number => (ticks ??= Number(execFileSync('getconf', ['CLK_TCK'])));

/** Microseconds of processor time that a process has used; 0 without /proc. */
function cpuUsOf(pid: number): number {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
    return ((Number(fields[11]) + Number(fields[12])) * 1e6) / ticksPerSecond();
  } catch {
    return 0;
  }
}

/** The living children of a single-threaded process; none without /proc. */
export function childrenOf(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1');
    return children.split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** Resident memory of a process in megabytes (10⁶ bytes); 0 without /proc. */
export function rssMbOf(pid: number): number {
  try {
    const [, kibibytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
    return (Number(kibibytes) * 1024) / 1e6;
  } catch {
    return 0;
  }
}

function machineUs(): { busy: number; all: number } {
  try {
    const [line = ''] = readFileSync('/proc/stat', 'latin1').split('\n', 1);
    const counts = line.trim().split(/ +/).slice(1, 9).map(Number);
    const all = counts.reduce((sum, count) => sum + count, 0);
    const idle = (counts[3] ?? 0) + (counts[4] ?? 0);
    return { busy: ((all - idle) * 1e6) / ticksPerSecond(), all: (all * 1e6) / ticksPerSecond() };
  } catch {
    return { busy: 0, all: 0 };
  }
}

export type CpuUse = {
  /** Total microseconds by process. */
  us: CpuUs;
  /** The share of the machine that other processes took, from 0 to 1. */
  othersShare: number;
};

/**
 * Starts to measure CPU use and returns the function that ends the measurement. `benchPids`: processes of the
 * benchmark, which are neither reported nor counted as others.
 */
export function startMeter(pids: Pids, benchPids: readonly number[] = []): () => CpuUse {
  const own = [...new Set([...Object.values(pids), ...benchPids, process.pid])];
  const read = () => ({ machine: machineUs(), us: new Map(own.map((pid) => [pid, cpuUsOf(pid)])) });
  const before = read();
  return () => {
    const after = read();
    const used = (pid: number) => Math.max(0, (after.us.get(pid) ?? 0) - (before.us.get(pid) ?? 0));
    const ownUs = own.reduce((sum, pid) => sum + used(pid), 0);
    const busy = after.machine.busy - before.machine.busy;
    const all = Math.max(1, after.machine.all - before.machine.all);
    return {
      us: Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, used(pid)])),
      othersShare: Math.max(0, (busy - ownUs) / all),
    };
  };
}
