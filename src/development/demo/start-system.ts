/** A whole system for one run of the demo: `npm start` on free ports and in a folder that does not outlive it. */

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readState, textIn } from '../embedded/data-folder.ts';
import { nodeArguments } from '../embedded/processes.ts';
import type { Cleanup } from './step-context.ts';

const startFile = new URL('../start.ts', import.meta.url);
/** The first start of all fetches MongoDB and Redis. */
const startDeadlineMs = 300_000;
/** From then on the API responds; it is of use without the venue that `npm start` still sets up. */
const venueDeadlineMs = 20_000;
const pollMs = 200;
/** `npm start` cuts its own stop after half a minute. */
const stopDeadlineMs = 45_000;
const shownLines = 12;

export type StartedSystem = {
  url: string;
  adminUrl: string;
  dataDir: string;
};

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Resolves when it is ready. `cleanup` stops it and deletes its folder. It is in a process group of its own, which a
 * terminal's Ctrl-C does not reach, and ends by itself should this process die. `note` gets what it prints while starting, line
 * by line.
 *
 * @throws Error with its last lines when it ends, or is not ready within 300 s
 */
export async function startSystem(
  env: Environment,
  cleanup: Cleanup,
  note: (line: string) => void,
): Promise<StartedSystem> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'partner-booking-demo-'));
  cleanup.add(() => rm(dataDir, { recursive: true, force: true }));
  const [port, adminPort] = await freePorts();
  const child = spawn(process.execPath, nodeArguments(fileURLToPath(startFile)), {
    env: { ...untied(env), DATA_DIR: dataDir, PORT: String(port), ADMIN_PORT: String(adminPort) },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const ended = endOf(child);
  cleanup.add(() => stop(child, ended));
  const lines = readLines(child, note);
  const system = { url: `http://127.0.0.1:${port}`, adminUrl: `http://127.0.0.1:${adminPort}`, dataDir };
  const outcome = await Promise.race([
    ended.then((end) => `ended (${end}) before it was ready`),
    ready(system),
  ]);
  if (outcome === 'ready') return system;
  throw new Error(`npm start ${outcome}. Its last lines:\n${lines.slice(-shownLines).join('\n')}`);
}

/** Without what would tie it to other servers, keys or rules than those of `npm start`. */
function untied(env: Environment): Environment {
  const ties = [
    ...['MONGODB_URI', 'REDIS_URL', 'OPERATOR_API_KEY', 'ENCRYPTION_KEYS'],
    ...['HOST', 'ADMIN_HOST', 'SERVICE_MODE', 'WEBHOOK_ALLOW_PRIVATE_NETWORKS'],
  ];
  return Object.fromEntries(Object.entries(env).filter(([name]) => !ties.includes(name)));
}

/** Two different ones, free a moment ago. */
async function freePorts(): Promise<[number, number]> {
  const [one, other] = [createServer(), createServer()];
  const portOf = (server: typeof one): Promise<number> =>
    new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
    });
  const ports: [number, number] = [await portOf(one), await portOf(other)];
  for (const server of [one, other]) await new Promise((resolve) => server.close(resolve));
  return ports;
}

/** `ready`, or what keeps it from being so. */
async function ready({ url, dataDir }: StartedSystem): Promise<string> {
  const endsAt = performance.now() + startDeadlineMs;
  let readySince = Number.POSITIVE_INFINITY;
  for (; performance.now() < endsAt; await wait(pollMs, undefined, { ref: false })) {
    const isReady = await fetch(new URL('/readyz', url)).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) readySince = Math.min(readySince, performance.now());
    // The subscription is the last thing that `npm start` notes of what it sets up.
    const isSetUp = isReady && textIn(await readState(dataDir, 'demo.json'), 'webhookId') !== undefined;
    if (isSetUp || performance.now() - readySince > venueDeadlineMs) return 'ready';
  }
  return `was not ready within ${startDeadlineMs / 1000} s`;
}

/** What it prints, as it grows; what comes before its first empty line is of the start. */
function readLines(child: ChildProcess, note: (line: string) => void): string[] {
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue;
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line);
      if (!lines.includes('')) note(line);
    });
  }
  return lines;
}

/** Exit code or signal, or why it could not be started. */
function endOf(child: ChildProcess): Promise<number | string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(code ?? signal ?? 'unknown'));
  });
}

async function stop(child: ChildProcess, ended: Promise<number | string>): Promise<void> {
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), stopDeadlineMs);
  await ended;
  clearTimeout(late);
}
