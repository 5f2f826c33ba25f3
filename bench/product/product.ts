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

/** The built product on stores of its own, with its log in files. */
export type Product = {
  url: string;
  adminUrl: string;
  port: number;
  operatorKey: string;
  mongodbUri: string;
  redisUrl: string;
  /** The folder of all logs, including the servers'. */
  folder: string;
  /** Ids of all processes: `api`, `mongod`, `redis` and the workers. */
  pids: () => Pids;
  /** Runs exactly these workers, each as often as it is named. Starts missing ones with `settings`, stops others. */
  runWorkers: (names: readonly WorkerName[], settings?: Record<string, string>) => Promise<void>;
  /** Starts another API process. `stop` ends it. */
  addApi: () => Promise<{ url: string; stop: () => Promise<void> }>;
  /** `freeze` stops workers with their connections open; `thaw` lets them continue. */
  freeze: (names: readonly WorkerName[]) => void;
  thaw: (names: readonly WorkerName[]) => void;
  stop: () => Promise<void>;
};

type Say = (line: string) => void;

/** The scripts of package.json that start the processes. */
const SCRIPTS = {
  api: 'start:api',
  migrate: 'migrate',
  'hold-expiry': 'start:hold-expiry',
  'webhook-delivery': 'start:webhook-delivery',
} as const;

const { scripts } = JSON.parse(readFileSync(path.join(projectFolder, 'package.json'), 'utf8')) as {
  scripts: Record<(typeof SCRIPTS)[keyof typeof SCRIPTS], string>;
};

/** The arguments after `exec node`. */
const argumentsOf = (name: keyof typeof SCRIPTS): string[] => scripts[SCRIPTS[name]].split(' ').slice(2);

export async function buildProduct(): Promise<void> {
  await promisify(execFile)('npm', ['run', '--silent', 'build'], { cwd: projectFolder });
}

/**
 * Starts MongoDB (a replica set of one, with journal) and Redis (an append-only file, synced each second) on a disk,
 * then the migration and the API. The rate limit counts all calls and rejects none. Each process writes a CPU profile
 * to `profileFolder` when it ends. All processes get `settings`.
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
  const profiled = profileFolder === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', path.resolve(profileFolder)];
  const processes = createProcesses(folder, profiled, {
    ...{
      NODE_ENV: 'production',
      SERVICE_MODE: 'sandbox',
      HOST: '127.0.0.1',
      PORT: '0',
      ADMIN_PORT: '0',
      HEALTH_PORT: '0',
    },
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

/** Unique, so that a restarted worker does not overwrite its profile. */
const profileName = (name: string): string => `${name}.${Math.round(performance.now())}.cpuprofile`;

type Started = { name: keyof typeof SCRIPTS; label: string; child: ChildProcess };

function createProcesses(folder: string, profiled: readonly string[], env: Record<string, string>) {
  let running: Started[] = [];
  const launch = (name: keyof typeof SCRIPTS, settings: Record<string, string> = {}): ChildProcess => {
    const log = openSync(path.join(folder, `${name}.log`), 'a');
    try {
      const named = profiled.length === 0 ? [] : [...profiled, '--cpu-prof-name', profileName(name)];
      return startNode([...named, ...argumentsOf(name)], { ...env, ...settings }, log);
    } finally {
      closeSync(log);
    }
  };
  const start = async <Info>(name: keyof typeof SCRIPTS, settings?: Record<string, string>): Promise<Info> => {
    const child = launch(name, settings);
    const twins = running.filter((each) => each.name === name).length;
    running.push({ name, label: twins === 0 ? name : `${name} ${twins + 1}`, child });
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
