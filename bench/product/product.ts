import type { ChildProcess } from 'node:child_process';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { startEmbeddedServers } from '../../src/development/embedded/servers.ts';
import type { Pids } from '../processes.ts';
import { endProcess, firstMessage, projectFolder, startNode } from '../processes.ts';

export const WORKERS = ['hold-expiry', 'webhook-delivery'] as const;
export type WorkerName = (typeof WORKERS)[number];

/** The built product with its own MongoDB and Redis. */
export type Product = {
  url: string;
  adminUrl: string;
  port: number;
  operatorKey: string;
  mongodbUri: string;
  redisUrl: string;
  /** The folder of all logs, including those of MongoDB and Redis. */
  folder: string;
  /** Ids of all processes: `api`, `mongod`, `redis` and the workers. */
  pids: () => Pids;
  /**
   * Makes exactly these workers run, one process for each occurrence of a name: starts missing processes with
   * `settings`, stops surplus ones.
   */
  runWorkers: (names: readonly WorkerName[], settings?: Record<string, string>) => Promise<void>;
  /** Starts an additional API process. */
  addApi: () => Promise<{ url: string; stop: () => Promise<void> }>;
  /** Suspends worker processes (SIGSTOP). Their connections stay open. */
  freeze: (names: readonly WorkerName[]) => void;
  /** Resumes frozen worker processes. */
  thaw: (names: readonly WorkerName[]) => void;
  stop: () => Promise<void>;
};

type Say = (line: string) => void;

/** The package.json script that starts each process. */
const SCRIPTS = {
  api: 'start:api',
  migrate: 'migrate',
  'hold-expiry': 'start:hold-expiry',
  'webhook-delivery': 'start:webhook-delivery',
} as const;

const { scripts } = JSON.parse(readFileSync(path.join(projectFolder, 'package.json'), 'utf8')) as {
  scripts: Record<(typeof SCRIPTS)[keyof typeof SCRIPTS], string>;
};

/** The script's arguments after `exec node`. */
const argumentsOf = (name: keyof typeof SCRIPTS): string[] => scripts[SCRIPTS[name]].split(' ').slice(2);

export async function buildProduct(): Promise<void> {
  await promisify(execFile)('npm', ['run', '--silent', 'build'], { cwd: projectFolder });
}

/**
 * Starts MongoDB (a replica set of one, with journal) and Redis (an append-only file, synced each second) on disk, runs
 * the migration and starts the API. The rate limit counts all calls and rejects none. Each process writes a CPU
 * profile to `profileFolder` when it ends, and gets the environment variables of `settings`.
 */
export async function startProduct(
  say: Say,
  profileFolder?: string,
  settings: Record<string, string> = {},
): Promise<Product> {
  // Do not use the system's temporary folder: it may be in memory, where a journal costs nothing.
  const parent = path.join(projectFolder, '.cache');
  await mkdir(parent, { recursive: true });
  const folder = await mkdtemp(path.join(parent, 'bench-'));
  const servers = await startEmbeddedServers({
    dataDir: path.join(folder, 'data'),
    env: process.env,
    log: say,
    onUnexpectedEnd: say,
  });
  const operatorKey = `op_${randomBytes(32).toString('base64url')}`;
  const processes = createProcesses(folder, profileFolder, {
    NODE_ENV: 'production',
    SERVICE_MODE: 'sandbox',
    HOST: '127.0.0.1',
    PORT: '0',
    ADMIN_PORT: '0',
    HEALTH_PORT: '0',
    MONGODB_URI: servers.mongodbUri,
    REDIS_URL: servers.redisUrl,
    OPERATOR_API_KEY: operatorKey,
    ENCRYPTION_KEYS: randomBytes(32).toString('base64'),
    WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'true',
    RATE_LIMIT_PER_MINUTE: '100000000',
    ...settings,
  });
  const stop = async () => {
    await processes.endAll();
    await servers.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await processes.runToEnd('migrate');
    const { url, adminUrl } = await processes.start<{ url: string; adminUrl: string }>('api');
    const { mongodb = 0, redis = 0 } = servers.pids;
    return {
      url,
      adminUrl,
      port: Number(new URL(url).port),
      operatorKey,
      folder,
      stop,
      mongodbUri: servers.mongodbUri,
      redisUrl: servers.redisUrl,
      pids: () => ({ ...processes.pids(), mongod: mongodb, redis }),
      runWorkers: processes.runWorkers,
      addApi: processes.addApi,
      freeze: (names) => processes.signal(names, 'SIGSTOP'),
      thaw: (names) => processes.signal(names, 'SIGCONT'),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Node's arguments for a CPU profile. The name is unique: a restarted worker must not overwrite its last profile. */
function profileArguments(name: string, folder: string | undefined): string[] {
  if (folder === undefined) return [];
  const file = `${name}.${Math.round(performance.now())}.cpuprofile`;
  return ['--cpu-prof', '--cpu-prof-dir', path.resolve(folder), '--cpu-prof-name', file];
}

type Started = { name: keyof typeof SCRIPTS; label: string; child: ChildProcess };

function createProcesses(folder: string, profileFolder: string | undefined, env: Record<string, string>) {
  let running: Started[] = [];
  const launch = (name: keyof typeof SCRIPTS, settings: Record<string, string> = {}): ChildProcess => {
    const log = openSync(path.join(folder, `${name}.log`), 'a');
    try {
      const args = [...profileArguments(name, profileFolder), ...argumentsOf(name)];
      return startNode(args, { ...env, ...settings }, log);
    } finally {
      closeSync(log);
    }
  };
  const start = async <Info>(name: keyof typeof SCRIPTS, settings?: Record<string, string>): Promise<Info> => {
    const child = launch(name, settings);
    const sameName = running.filter((each) => each.name === name).length;
    running.push({ name, label: sameName === 0 ? name : `${name} ${sameName + 1}`, child });
    return firstMessage<Info>(child, `${name} (see ${folder})`);
  };
  const end = async (which: (each: Started) => boolean): Promise<void> => {
    const ending = running.filter(which);
    running = running.filter((each) => !which(each));
    await Promise.all(ending.map(({ child }) => endProcess(child)));
  };
  return {
    start,
    runToEnd: async (name: keyof typeof SCRIPTS): Promise<void> => {
      const child = launch(name);
      const code = await new Promise((resolve) => child.once('exit', resolve));
      if (code !== 0) throw new Error(`${name} failed, see ${folder}`);
    },
    pids: (): Pids => Object.fromEntries(running.map(({ label, child }) => [label, child.pid ?? 0])),
    addApi: async () => {
      const { url } = await start<{ url: string }>('api');
      const added = running.findLast(({ name }) => name === 'api');
      return { url, stop: () => end((each) => each === added) };
    },
    runWorkers: async (names: readonly WorkerName[], settings?: Record<string, string>): Promise<void> => {
      for (const name of WORKERS) {
        const wanted = names.filter((each) => each === name).length;
        const present = running.filter((each) => each.name === name);
        const surplus = new Set(present.slice(wanted));
        await end((each) => surplus.has(each));
        for (let count = present.length; count < wanted; count += 1) await start(name, settings);
      }
    },
    signal: (names: readonly WorkerName[], signal: 'SIGSTOP' | 'SIGCONT') => {
      for (const { name, child } of running) if (names.some((each) => each === name)) child.kill(signal);
    },
    endAll: () => end(() => true),
  };
}
