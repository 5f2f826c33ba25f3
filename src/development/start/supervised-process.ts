/** Child processes of `npm start`: started with the parent's loader, restarted when they die, stopped in order. */

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync, readSync, rmSync } from 'node:fs';
import { nodeArguments } from '../embedded/processes.ts';
import type { Environment, LogLine } from '../embedded/server-kinds.ts';

const restartDelayMs = 1_000;
const readyTimeoutMs = 60_000;
const shownLogLines = 12;
/** A log may be longer than fits in memory. */
const readLogBytes = 16 * 1024;
const shownLineCharacters = 400;

export type ProcessSpec = {
  /** What people call it. */
  name: string;
  /** The program, `.ts` or `.js`. */
  file: string;
  /** Asked at each start, so that a restart can differ. */
  env: () => Environment;
  /** Gets everything that the process prints; emptied first. */
  logFile: string;
  log: LogLine;
};

export type SupervisedProcess = {
  /** The first `{ready: true, ...}` message; rejects when the process ends, or 60 s pass, before it. */
  ready: Promise<object>;
  /** SIGTERM, then SIGKILL after `graceMs`. Resolves when the process is gone; it is not started again. */
  stop: (graceMs: number) => Promise<void>;
  /** SIGKILL at once, without waiting; it is not started again. */
  kill: () => void;
};

/**
 * Starts the program in a process group of its own, which a terminal's Ctrl-C does not reach, with an IPC channel,
 * whose end tells it that this process is gone. Once it has been ready, it is started again 1 s after each end that
 * nobody asked for, and each start that failed.
 */
export function superviseProcess(spec: ProcessSpec): SupervisedProcess {
  rmSync(spec.logFile, { force: true });
  let child = spawnLogged(spec);
  let wanted = false;
  let restart: NodeJS.Timeout | undefined;
  const restartAtEnd = (): void => {
    void endOf(child).then((end) => {
      if (!wanted) return;
      spec.log(`${spec.name} stopped unexpectedly (${end}); restarting it. Its log: ${spec.logFile}`);
      restartLater();
    });
  };
  const restartLater = (): void => {
    restart = setTimeout(() => {
      try {
        child = spawnLogged(spec);
      } catch (err) {
        spec.log(`${spec.name} could not be started (${(err as Error).message}); trying again`);
        return restartLater();
      }
      restartAtEnd();
    }, restartDelayMs);
  };
  restartAtEnd();
  const giveUp = (): void => {
    wanted = false;
    clearTimeout(restart);
  };
  return {
    ready: firstReadyMessage(child, spec).then((message) => {
      wanted = true;
      return message;
    }),
    stop: (graceMs) => {
      giveUp();
      return endChild(child, graceMs, spec);
    },
    kill: () => {
      giveUp();
      killGroup(child);
    },
  };
}

/**
 * Runs the program to its end, which `signal` brings about with SIGTERM.
 *
 * @throws Error with the last lines of its log when it does not end with exit code 0
 */
export async function runToEnd(spec: ProcessSpec, signal: AbortSignal): Promise<void> {
  rmSync(spec.logFile, { force: true });
  const child = spawnLogged(spec);
  signal.addEventListener('abort', () => child.kill('SIGTERM'), { once: true });
  const end = await endOf(child);
  if (end !== 0) throw new Error(`${spec.name} failed (${end}).${logTail(spec.logFile)}`);
}

function spawnLogged({ name, file, env, logFile, log }: ProcessSpec): ChildProcess {
  const output = openSync(logFile, 'a', 0o600);
  try {
    const stdio = ['ignore' as const, output, output, 'ipc' as const];
    const child = spawn(process.execPath, nodeArguments(file), { env: env(), stdio, detached: true });
    return child.on('error', (err) => log(`${name}: ${err.message}`));
  } finally {
    closeSync(output);
  }
}

function firstReadyMessage(child: ChildProcess, spec: ProcessSpec): Promise<object> {
  return new Promise<object>((resolve, reject) => {
    let isDecided = false;
    const decide = (): void => {
      isDecided = true;
      clearTimeout(late);
    };
    const fail = (what: string): void => {
      if (isDecided) return;
      decide();
      reject(new Error(`${spec.name} ${what}.${logTail(spec.logFile)}`));
    };
    const late = setTimeout(() => fail(`was not ready within ${readyTimeoutMs / 1000} s`), readyTimeoutMs);
    child.on('message', (message) => {
      if (typeof message !== 'object' || !('ready' in message) || message.ready !== true) return;
      decide();
      resolve(message);
    });
    void endOf(child).then((end) => fail(`ended (${end}) before it was ready`));
  });
}

async function endChild(child: ChildProcess, graceMs: number, { name, log }: ProcessSpec): Promise<void> {
  const ended = endOf(child);
  child.kill('SIGTERM');
  const late = setTimeout(() => {
    log(`${name} did not stop within ${graceMs / 1000} s of SIGTERM; killing it`);
    killGroup(child);
  }, graceMs);
  await ended;
  clearTimeout(late);
}

function hasEnded(child: ChildProcess): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
}

/** Exit code or signal, also of one that has ended already or never began. */
async function endOf(child: ChildProcess): Promise<number | string> {
  if (!hasEnded(child)) {
    await new Promise((resolve) => {
      child.once('exit', resolve);
    });
  }
  return child.exitCode ?? child.signalCode ?? 'could not be started';
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || hasEnded(child)) return;
  process.kill(-child.pid, 'SIGKILL');
}

function logTail(file: string): string {
  try {
    const lines = endOfFile(file, readLogBytes).trimEnd().split('\n').slice(-shownLogLines);
    return ` The end of ${file}:\n${lines.map((line) => `  ${line.slice(0, shownLineCharacters)}`).join('\n')}`;
  } catch (err) {
    return ` Its log cannot be read (${(err as Error).message}).`;
  }
}

function endOfFile(file: string, bytes: number): string {
  const fd = openSync(file, 'r');
  try {
    const from = Math.max(0, fstatSync(fd).size - bytes);
    const buffer = Buffer.alloc(bytes);
    return buffer.toString('utf8', 0, readSync(fd, buffer, 0, bytes, from));
  } finally {
    closeSync(fd);
  }
}
