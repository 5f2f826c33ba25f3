/** Child processes of `npm start`: started, restarted when they die, stopped in order. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { field } from '../embedded/api-caller.ts';
import { nodeArguments } from '../embedded/processes.ts';
import type { Environment, LogLine } from '../embedded/run-command.ts';
import { endProcess } from '../embedded/server-process.ts';

const restartDelayMs = 1_000;
const readyTimeoutMs = 60_000;
const shownLogLines = 12;

export type ProcessSpec = {
  name: string;
  file: string;
  /** Read at each start, so a restart may use other values. */
  env: Environment;
  logFile: string;
  log: LogLine;
};

export type SupervisedProcess = ReturnType<typeof superviseProcess>;

/**
 * Starts the program in its own process group, which a terminal's Ctrl-C does not reach, with an IPC channel: when the
 * channel closes, the program knows that this process has ended. Once ready, it is restarted 1 s after unexpected ends.
 */
export function superviseProcess(spec: ProcessSpec) {
  const { name, log, logFile } = spec;
  const output = openSync(logFile, 'w', 0o600);
  let shouldRestart = false;
  let restart: NodeJS.Timeout | undefined;
  const launch = (): ChildProcess =>
    spawnLogged(spec, output).once('exit', (code, signal) => {
      if (!shouldRestart) return;
      log(`${name} stopped unexpectedly (${signal ?? code}); restarting it. Its log: ${logFile}`);
      restart = setTimeout(() => {
        child = launch();
      }, restartDelayMs);
    });
  let child = launch();
  const stopRestarting = (): ChildProcess => {
    shouldRestart = false;
    clearTimeout(restart);
    return child;
  };
  return {
    /** The first `{ready: true, ...}` message; rejects if the process ends or 60 s pass before. */
    ready: firstReadyMessage(child, spec).then((message) => {
      shouldRestart = true;
      return message;
    }),
    /** SIGTERM, then SIGKILL after `graceMs`. Resolves when the process is gone for good. */
    stop: (graceMs: number) =>
      endProcess(stopRestarting(), graceMs, () =>
        log(`${name} did not stop within ${graceMs / 1000} s of SIGTERM; killing it`),
      ),
    kill: () => void stopRestarting().kill('SIGKILL'),
  };
}

/**
 * Runs the program to its end; `signal` stops it with SIGTERM.
 * @throws Error with the end of its log unless it exits with 0
 */
export async function runToEnd(spec: ProcessSpec, signal: AbortSignal): Promise<void> {
  const output = openSync(spec.logFile, 'w', 0o600);
  const child = spawnLogged(spec, output);
  closeSync(output);
  signal.addEventListener('abort', () => child.kill('SIGTERM'), { once: true });
  const [code, endedBy] = (await once(child, 'exit')) as [number | null, string | null];
  if (code !== 0) throw new Error(`${spec.name} failed (${endedBy ?? code}).${logTail(spec.logFile)}`);
}

function spawnLogged({ name, file, env, log }: ProcessSpec, output: number): ChildProcess {
  const stdio = ['ignore' as const, output, output, 'ipc' as const];
  const child = spawn(process.execPath, nodeArguments(file), { env, stdio, detached: true });
  return child.on('error', (error) => log(`${name}: ${error.message}`));
}

function firstReadyMessage(child: ChildProcess, { name, logFile }: ProcessSpec): Promise<object> {
  return new Promise((resolve, reject) => {
    const stopWaiting = (): void => {
      clearTimeout(timeout);
      child.off('exit', onExit).off('message', onMessage);
    };
    const fail = (what: string): void => {
      stopWaiting();
      reject(new Error(`${name} ${what}.${logTail(logFile)}`));
    };
    const onExit = (code: number | null, signal: string | null): void =>
      fail(`ended (${signal ?? code}) before it was ready`);
    const onMessage = (message: unknown): void => {
      if (field(message, 'ready') !== true) return;
      stopWaiting();
      resolve(message as object);
    };
    const timeout = setTimeout(() => fail(`was not ready within ${readyTimeoutMs / 1000} s`), readyTimeoutMs);
    child.on('exit', onExit).on('message', onMessage);
  });
}

function logTail(file: string): string {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n').slice(-shownLogLines);
  return ` The end of ${file}:\n${lines.map((line) => `  ${line.slice(0, 400)}`).join('\n')}`;
}
