/** A database server as a child process that never outlives this one. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { findBinary } from './find-binary.ts';
import type { Environment, LogLine } from './run-command.ts';
import type { ServerKind } from './server-kinds.ts';
import { until } from './until.ts';

/**
 * Runs the program under the shell's process number, and ends it when standard input ends: that happens when this
 * process dies. SIGCONT lets a paused program receive SIGTERM.
 */
const WHILE_INPUT_IS_OPEN = 'exec 3<&0; (cat <&3; kill $$; kill -CONT $$) >/dev/null 2>&1 & exec "$@" 3<&- </dev/null';

const upTimeoutMs = 60_000;
const stopTimeoutMs = 20_000;
const keptOutputCharacters = 4_000;

export const serverUser = 'partner_booking';

/** Needed because other users of this machine can reach the ports. A URL can contain the passwords unescaped. */
export type ServerCredentials = {
  mongodbPassword: string;
  /** The base64 secret shared by the members of the replica set; it allows everything. */
  mongodbKey: string;
  redisPassword: string;
};

export type ServerOptions = {
  dataPath: string;
  /** A free port; MongoDB needs the same one at every start, because the replica set contains it. */
  port: number;
  env: Environment;
  log: LogLine;
  /** Undefined in tests: everyone may use the server, including MongoDB's fail points. */
  credentials?: ServerCredentials | undefined;
};

export type RunningServer = {
  uri: string;
  process: ChildProcess;
  stop: () => Promise<void>;
};

/**
 * Starts the server with `args` and its data in `dataPath`. Resolves when its port accepts connections and `prepare` is
 * done.
 * @throws Error if no binary is found, or with the server's last output if it ends before that; no server remains
 */
export async function startServer(
  kind: ServerKind,
  { dataPath, port, env, log }: ServerOptions,
  args: readonly string[],
  prepare: () => Promise<void> = async () => undefined,
): Promise<Omit<RunningServer, 'uri'>> {
  const binary = await findBinary(kind, env, log);
  await mkdir(dataPath, { recursive: true, mode: 0o700 });
  const child = spawnBound([binary, '--port', String(port), ...args], 'pipe');
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (text: Buffer) => {
      output = (output + text.toString()).slice(-keptOutputCharacters);
    });
  const stop = (): Promise<void> => endProcess(child, stopTimeoutMs);
  const ended = once(child, 'exit').then(([code, signal]: unknown[]) => {
    const reason = kind.exitReasons?.[Number(code)];
    const end = `it ended (${String(signal ?? code)}). Its last output:\n${output.trim()}`;
    throw new Error(reason === undefined ? end : `${reason}\n${end}`);
  });
  try {
    await Promise.race([ended, until('it listens', () => accepts(port), upTimeoutMs).then(prepare)]);
  } catch (error) {
    await stop();
    const { message } = error as Error;
    throw new Error(`${kind.name} did not start on ${dataPath}: ${message}`, { cause: error });
  }
  ended.catch(() => undefined);
  return { process: child, stop };
}

/** Sends SIGTERM, then SIGKILL after `graceMs`, calling `onKill`. Resolves when the process is gone. */
export async function endProcess(child: ChildProcess, graceMs: number, onKill?: () => void): Promise<void> {
  if (hasEnded(child)) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const killTimer = setTimeout(() => {
    onKill?.();
    child.kill('SIGKILL');
  }, graceMs);
  await gone;
  clearTimeout(killTimer);
}

/**
 * Starts a program that never outlives this process, in its own process group, which a terminal's Ctrl-C does not
 * reach.
 */
export function spawnBound(command: readonly string[], output: 'pipe' | 'ignore'): ChildProcess {
  const stdio = ['pipe' as const, output, output];
  const child = spawn('sh', ['-c', WHILE_INPUT_IS_OPEN, 'sh', ...command], { detached: true, stdio });
  // Ends the shell that waits for the end of input.
  return child.once('exit', () => child.stdin?.destroy());
}

/** Whether the process has ended, or could not be started. */
export function hasEnded({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null;
}

/** Whether something on 127.0.0.1 accepts connections to the port. */
export function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const finish = (isOpen: boolean): void => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once('connect', () => finish(true)).once('error', () => finish(false));
  });
}
