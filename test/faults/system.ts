import { migrate } from '../../src/operations/database/migrate.service.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { createDb, openDb } from '../../src/platform/mongo-connection.ts';
import { eventually } from '../support/eventually.ts';
import { type MongoSet, startMongoSet } from '../support/mongo-set.ts';
import { freePort, KEEPS_DATA, ownRedis } from '../support/own-servers.ts';
import { serviceEnvironment } from '../support/service-environment.ts';
import type { SpawnedProcess } from '../support/worker-process.ts';
import { killProcess, START_DEADLINE_MS, startProcess, stopProcess } from '../support/worker-process.ts';

const FILES = {
  api: 'src/main/api.ts',
  'hold-expiry': 'workers/hold-expiry.ts',
  'webhook-delivery': 'workers/webhook-delivery.ts',
} as const;
export type Part = keyof typeof FILES;
export const PARTS = Object.keys(FILES) as Part[];

/** Processes of the service and servers that can be killed. */
export const VICTIMS = [...PARTS, 'redis-server', 'mongod'] as const;
export type Victim = (typeof VICTIMS)[number];

type Running = { process: SpawnedProcess; start: () => SpawnedProcess };

/** One Redis, or several that replace each other; `restart` kills and restarts a single one. */
type RedisServers = { uri: string; discard(): Promise<void>; restart?: () => Promise<void> };

export type SystemOptions = {
  apis?: number;
  members?: number;
  /** Environment variables of every process. */
  overrides?: Record<string, string>;
  /** Folder of another, built release that the first processes use. */
  release?: string;
  /** MongoDB and Redis to use, and to end, instead of new ones. */
  servers?: { mongo: MongoSet; redis: RedisServers };
};

/**
 * Starts the whole service as in production: its processes, a Redis that keeps its data, and its own replica set.
 * Resolves when it serves.
 */
export async function startSystem({
  apis = 1,
  members = 1,
  overrides = {},
  release: firstRelease,
  servers,
}: SystemOptions = {}) {
  const { mongo, redis } = servers ?? (await ownServers(members));
  const environment = serviceEnvironment('faults', {
    RATE_LIMIT_PER_MINUTE: '0',
    ...overrides,
    MONGODB_URI: mongo.uri,
    REDIS_URL: redis.uri,
  });
  const db = createDb();
  const stopping = new AbortController();
  await openDb(db, mongo.auditorUri, createLogger('auditor', 'silent'), stopping.signal);
  let release = firstRelease;
  const startOne = (file: string, args: readonly string[] = []) => startProcess(file, environment, args, release);
  const command = async (file: string, args: readonly string[] = []) => {
    const process = startOne(file, args);
    return { code: (await process.exited).code, output: process.output() };
  };
  if (release === undefined) await migrate(db);
  else await command('src/main/migrate.ts');

  const run = (part: Part, settings: Record<string, string> = {}): Running => {
    const start = () => startProcess(FILES[part], { ...environment, ...settings }, [], release);
    return { start, process: start() };
  };
  const ports = await Promise.all(Array.from({ length: apis }, async () => [await freePort(), await freePort()]));
  const running = {
    api: ports.map(([port, adminPort]) => run('api', { PORT: String(port), ADMIN_PORT: String(adminPort) })),
    ...Object.fromEntries(PARTS.filter((part) => part !== 'api').map((part) => [part, [run(part)]])),
  } as Record<Part, Running[]>;
  const urls = ports.map(([port]) => `http://127.0.0.1:${port}`);
  const serves = async (part: Part, index: number) => {
    await running[part][index]?.process.ready;
    if (part === 'api') {
      const isReady = async () => (await fetch(`${urls[index]}/readyz`)).ok;
      await eventually('the API is ready', isReady, START_DEADLINE_MS);
    }
  };
  const allServe = async () => {
    for (const part of PARTS) await Promise.all(running[part].map((_each, index) => serves(part, index)));
  };
  await allServe();

  const end = async (part: Part, index: number, by: (process: SpawnedProcess) => Promise<number | null>) => {
    const one = running[part][index];
    if (one === undefined) throw new Error(`There is no such ${part}`);
    const code = await by(one.process);
    one.process = one.start();
    await serves(part, index);
    return code;
  };
  return {
    /** Partner listeners, one of each API. */
    urls,
    url: urls[0] ?? '',
    adminUrl: `http://127.0.0.1:${ports[0]?.[1]}`,
    context: { db },
    mongo,
    /** `kill -9` and restart; resolves when the victim serves again. `mongod`: the primary of the set. */
    kill: async (victim: Victim) => {
      if (victim === 'redis-server') {
        if (redis.restart === undefined) throw new Error('This Redis consists of several servers: kill one by itself');
        await redis.restart();
      } else if (victim === 'mongod') {
        const primary = await mongo.primary();
        await primary.signal('SIGKILL');
        await primary.start();
        await mongo.untilWhole();
      } else {
        await end(victim, 0, async (process) => (await killProcess(process)).code);
      }
    },
    /** Later starts use the release in this folder; undefined: this release. */
    use: (next: string | undefined) => {
      release = next;
    },
    /** Starts one more program of the release in use. */
    start: startOne,
    /** Runs a command of the release in use to its end, such as `src/main/migrate.ts`. */
    command,
    /** Sends SIGTERM to every process of the service, not to MongoDB and Redis; resolves when all have ended. */
    halt: async () => {
      await Promise.all(PARTS.flatMap((part) => running[part].map(({ process }) => stopProcess(process))));
    },
    /** Restarts the processes that `halt` ended; resolves when they serve. */
    resume: async () => {
      for (const one of PARTS.flatMap((part) => running[part])) one.process = one.start();
      await allServe();
    },
    /** Sends SIGTERM, then starts a replacement; returns the exit code. */
    replace: (part: Part, index = 0) => end(part, index, async (process) => (await stopProcess(process)).code),
    stop: async () => {
      const processes = Object.values(running).flat();
      await Promise.all(processes.map(({ process }) => killProcess(process)));
      stopping.abort();
      await db.close();
      await Promise.all([redis.discard(), mongo.discard()]);
    },
  };
}

export type FaultSystem = Awaited<ReturnType<typeof startSystem>>;

async function ownServers(members: number): Promise<{ mongo: MongoSet; redis: RedisServers }> {
  const [mongo, redis] = await Promise.all([startMongoSet(members), ownRedis(KEEPS_DATA)]);
  await redis.start();
  const restart = async () => {
    await redis.signal('SIGKILL');
    await redis.start();
  };
  return { mongo, redis: { ...redis, restart } };
}
