import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { symlink } from 'node:fs/promises';
import path from 'node:path';
import { nodeArguments } from '../../src/development/embedded/processes.ts';
import { eventually } from './eventually.ts';

export type Exit = { code: number | null; signal: NodeJS.Signals | null };
export type LogLine = Record<string, unknown>;

/** A process of the service as in production. */
export type SpawnedProcess = {
  pid: number;
  /** Everything printed so far, including errors at start. */
  output(): string;
  /** The log so far, line by line. */
  log(): LogLine[];
  /** The IPC message that says it is ready; rejects if the process ends before. `startScript` has no IPC. */
  ready: Promise<LogLine>;
  exited: Promise<Exit>;
  /** Signals only this process. */
  signal(name: NodeJS.Signals): void;
  /** Closes the IPC channel, as if this process had died. */
  disconnect(): void;
};

export const projectFolder = path.resolve(import.meta.dirname, '../..');
/** The compiled service (build-product.ts), which starts in half the processor time of the source. */
export const PRODUCT_FOLDER = path.join(projectFolder, '.cache/test-product');
/** Long, because a start takes a second of processor time, and the machine may be busy. */
export const START_DEADLINE_MS = 90_000;

const started: { signal(name: NodeJS.Signals): void; exited: Promise<Exit> }[] = [];

/**
 * Starts a program of the project, such as `workers/hold-expiry.ts`, with only this environment. `release`: folder of
 * another, built release.
 */
export function startProcess(
  file: string,
  environment: Record<string, string>,
  args: readonly string[] = [],
  release?: string,
): SpawnedProcess {
  const program = release === undefined ? programArguments(file) : [builtProgram(release, file)];
  const child = spawn(process.execPath, [...program, ...args], {
    cwd: release ?? projectFolder,
    env: environmentOf(environment),
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  return watched(file, child, (name) => void child.kill(name));
}

/**
 * Starts a `package.json` script with npm in its own process group, as systemd and terminals do. `signal` reaches the
 * whole group. `folder`: an empty working directory.
 */
export async function startScript(
  script: string,
  environment: Record<string, string>,
  folder: string,
): Promise<SpawnedProcess> {
  await symlink(path.join(projectFolder, 'package.json'), path.join(folder, 'package.json'));
  await symlink(PRODUCT_FOLDER, path.join(folder, 'dist'));
  const child = spawn('npm', ['run', script], {
    cwd: folder,
    env: environmentOf(environment),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const { pid } = child;
  if (pid === undefined) throw new Error('npm could not be started');
  return watched(script, child, (name) => {
    try {
      process.kill(-pid, name);
    } catch (err) {
      // The whole group has already ended.
      if ((err as NodeJS.ErrnoException).code !== 'ESRCH') throw err;
    }
  });
}

export type SpawnedApi = SpawnedProcess & { url: string; adminUrl: string };

/** Starts an API; resolves when it is ready. */
export async function startApi(environment: Record<string, string>): Promise<SpawnedApi> {
  const api = startProcess('src/main/api.ts', environment);
  const { url, adminUrl } = (await api.ready) as { url: string; adminUrl: string };
  await eventually('the API serves', async () => (await fetch(`${url}/readyz`)).ok, START_DEADLINE_MS);
  return { ...api, url, adminUrl };
}

function builtProgram(release: string, file: string): string {
  const program = path.join(release, 'dist', file.replace(/\.ts$/, '.js'));
  // Release 1.0.0 has no `src/main`.
  return existsSync(program) ? program : program.replace('/src/main/', '/src/');
}

function environmentOf(environment: Record<string, string>): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME, ...environment };
}

function watched(file: string, child: ChildProcess, signal: (name: NodeJS.Signals) => void): SpawnedProcess {
  const printed: Buffer[] = [];
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
  for (const stream of streams) stream.on('data', (chunk: Buffer) => void printed.push(chunk));
  const output = (): string => Buffer.concat(printed).toString();
  // The child's event `close` is no alternative: it is not emitted after this side has closed the IPC channel.
  const exited = Promise.all([once(child, 'exit'), ...streams.map((stream) => once(stream, 'close'))]).then(
    ([[code, endedBy]]): Exit => ({ code, signal: endedBy }),
  );
  started.push({ signal, exited });
  const ready = new Promise<LogLine>((resolve, reject) => {
    child.on('message', (message) => resolve(message as LogLine));
    void exited.then(() => reject(new Error(`${file} ended before it was ready:\n${output()}`)));
  });
  // Tests that do not await `ready` must not fail because of it.
  ready.catch(() => undefined);
  return {
    pid: child.pid ?? 0,
    output,
    log: () => logLinesOf(output()),
    ready,
    exited,
    signal,
    disconnect: () => {
      if (child.connected) child.disconnect();
    },
  };
}

/** Node's arguments for a program: compiled, if it is one of the service; otherwise with the TypeScript loader. */
export function programArguments(file: string): string[] {
  const isBuilt = /^(?:src\/(?!development\/)|workers\/)/.test(file);
  return isBuilt
    ? [path.join(PRODUCT_FOLDER, file.replace(/\.ts$/, '.js'))]
    : nodeArguments(path.join(projectFolder, file));
}

/** Sends SIGTERM; returns the exit code and the time to exit. */
export async function stopProcess(process: SpawnedProcess): Promise<{ code: number | null; tookMs: number }> {
  const signalledAt = performance.now();
  process.signal('SIGTERM');
  const { code } = await process.exited;
  return { code, tookMs: performance.now() - signalledAt };
}

/** Sends SIGKILL; resolves when the process has ended. */
export async function killProcess(process: SpawnedProcess): Promise<Exit> {
  process.signal('SIGKILL');
  return process.exited;
}

/** Resolves when the process exits with code 0; otherwise rejects with its output. */
export async function finished(process: SpawnedProcess): Promise<void> {
  const { code, signal } = await process.exited;
  if (code !== 0) throw new Error(`It ended with ${signal ?? `exit code ${code}`}:\n${process.output()}`);
}

/** Ends all processes that this test file started. Call it in `afterAll`, before the databases are dropped. */
export async function endProcesses(): Promise<void> {
  for (const { signal } of started) signal('SIGKILL');
  await Promise.all(started.splice(0).map(({ exited }) => exited));
}

/** Waits for a log line with this message. */
export function logged(process: SpawnedProcess, message: string): Promise<LogLine> {
  return eventually(
    `"${message}" in the log`,
    () => process.log().find((line) => line['msg'] === message),
    START_DEADLINE_MS,
  );
}

/** The JSON lines of a log, without other output. */
function logLinesOf(text: string): LogLine[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as LogLine);
}
