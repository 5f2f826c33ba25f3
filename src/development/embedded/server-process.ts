/** A database server as a child process that never outlives this one. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Environment, LogLine } from './run-command.ts';

/**
 * The program, which keeps the shell's process number, is ended when standard input ends, as this process' death brings
 * about; one that is stopped gets the signal once it is continued.
 */
const WHILE_INPUT_IS_OPEN =
  'exec 3<&0; (cat <&3; kill $$; kill -CONT $$) >/dev/null 2>&1 & exec "$@" 3<&- </dev/null';

const pollMs = 20;
const upTimeoutMs = 60_000;
const stopTimeoutMs = 20_000;
const keptOutputCharacters = 4_000;

/** The user of the service, in both servers. */
export const serverUser = 'partner_booking';

/** Other users of this machine reach the servers' ports too. None of these needs encoding in a URL. */
export type ServerCredentials = {
  mongodbPassword: string;
  /** What the members of the replica set share, in base64: who has it may do anything. */
  mongodbKey: string;
  redisPassword: string;
};

export type ServerOptions = {
  /** Folder of the server's files, created if need be. */
  dataPath: string;
  /** A free port on 127.0.0.1; for MongoDB the same one at every start, as the replica set's config names it. */
  port: number;
  env: Environment;
  log: LogLine;
  /** Undefined, for tests: whoever reaches the port may use the server, fail points of MongoDB included. */
  credentials?: ServerCredentials | undefined;
};

export type RunningServer = {
  /** Connection string. */
  uri: string;
  process: ChildProcess;
  /** Ends the server in order and leaves its files. */
  stop: () => Promise<void>;
};

/**
 * Starts `command`, which serves `port` on 127.0.0.1. Resolves when the port accepts connections and `prepare` is done.
 *
 * @throws Error with the last lines of the server where it ends before that; it is not left running
 */
export async function startServer(
  command: readonly string[],
  port: number,
  prepare: () => Promise<void> = async () => undefined,
): Promise<Omit<RunningServer, 'uri'>> {
  const child = spawnBound(command, 'pipe');
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (text: Buffer) => {
      output = (output + text.toString()).slice(-keptOutputCharacters);
    });
  const stop = (): Promise<void> => endProcess(child, stopTimeoutMs);
  const ended = once(child, 'exit').then(([code, signal]: unknown[]) => {
    throw new Error(`it ended (${String(signal ?? code)}). The last that it said:\n${output.trim()}`);
  });
  try {
    await Promise.race([ended, untilAccepting(port).then(prepare)]);
  } catch (error) {
    await stop();
    throw error;
  }
  ended.catch(() => undefined);
  return { process: child, stop };
}

/** SIGTERM, then SIGKILL after `graceMs`, of which `onKill` is told. Resolves when the process is gone. */
export async function endProcess(child: ChildProcess, graceMs: number, onKill?: () => void): Promise<void> {
  if (hasEnded(child)) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const late = setTimeout(() => {
    onKill?.();
    child.kill('SIGKILL');
  }, graceMs);
  await gone;
  clearTimeout(late);
}

/**
 * A program that never outlives this process, in a process group of its own, which a terminal's Ctrl-C does not reach. `output`
 * says what becomes of what it prints.
 */
export function spawnBound(command: readonly string[], output: 'pipe' | 'ignore'): ChildProcess {
  const stdio = ['pipe' as const, output, output];
  const child = spawn('sh', ['-c', WHILE_INPUT_IS_OPEN, 'sh', ...command], { detached: true, stdio });
  // The shell that waits for the end of input is done too.
  return child.once('exit', () => child.stdin?.destroy());
}

/** True too for one that could not be started. */
export function hasEnded({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null;
}

async function untilAccepting(port: number): Promise<void> {
  const deadline = performance.now() + upTimeoutMs;
  while (!(await accepts(port))) {
    if (performance.now() > deadline) throw new Error(`it does not listen after ${upTimeoutMs / 1000} s`);
    await wait(pollMs);
  }
}

/** True when something on 127.0.0.1 accepts connections to the port. */
export function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const answer = (isOpen: boolean): void => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once('connect', () => answer(true)).once('error', () => answer(false));
  });
}
