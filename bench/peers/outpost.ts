import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { createCleanup } from '../../src/development/cleanup.ts';
import { pickFreePort } from '../../src/development/embedded/ports.ts';
import { startRedis } from '../../src/development/embedded/redis.ts';
import { say } from '../open-bench.ts';
import type { Pids } from '../processes.ts';
import { childrenOf, endProcess, projectFolder, startProgram } from '../processes.ts';
import { eventually } from '../product/contents.ts';
import type { ProgramFolders } from './programs.ts';
import { TENANT, TOPIC } from './publish.ts';
import type { Start } from './stores.ts';
import { runToEnd, startPostgres, startRabbitmq, untilReady } from './stores.ts';

export type Outpost = {
  port: number;
  apiKey: string;
  /** Outpost, its databases and broker, and their current child processes, such as PostgreSQL's backends. */
  pids: () => Pids;
  /** Waits until Outpost has logged `attempts` delivery attempts since its start. False after `timeoutMs`. */
  untilLogged: (attempts: number, timeoutMs: number) => Promise<boolean>;
};

/** A long interval: each poll is a query, which adds to the measured work of PostgreSQL. */
const LOG_POLL_MS = 500;

/** The settings of Outpost's own load test. Each default is 1. */
const TUNED_SETTINGS = {
  PUBLISH_MAX_CONCURRENCY: '100',
  DELIVERY_MAX_CONCURRENCY: '100',
  LOG_MAX_CONCURRENCY: '100',
};

/**
 * Starts Outpost in one process, with its own durable databases and one destination, and runs `work`. Then ends
 * Outpost and its databases and deletes their files, also if the benchmark is stopped.
 */
export async function withOutpost<T>(
  programs: ProgramFolders,
  destinationUrl: string,
  onStop: (release: () => Promise<unknown>) => void,
  work: (outpost: Outpost) => Promise<T>,
): Promise<T> {
  const cleanup = createCleanup();
  onStop(cleanup.run);
  try {
    // On the same disk as the product's databases. Mode 0711 lets PostgreSQL's user reach its own folder.
    const folder = await mkdtemp(path.join(projectFolder, '.cache/peers-'));
    await chmod(folder, 0o711);
    cleanup.add(() => rm(folder, { recursive: true, force: true }));
    const start: Start = (file, args, env, user) => {
      const options = { cwd: folder, ...user };
      const child = startProgram(file, args, env, { stdio: ['ignore', 'ignore', 'inherit'], ...options });
      cleanup.add(() => endProcess(child));
      return child;
    };
    const redisPort = await pickFreePort();
    const dataPath = path.join(folder, 'redis');
    const redis = await startRedis({ dataPath, port: redisPort, env: process.env, log: say });
    cleanup.add(redis.stop);
    const postgres = await startPostgres(programs.POSTGRES_BIN, folder, start);
    const rabbitmq = await startRabbitmq(programs.RABBITMQ_BIN, folder, start);

    const port = await pickFreePort();
    const apiKey = randomBytes(16).toString('hex');
    const env = {
      ...TUNED_SETTINGS,
      API_PORT: String(port),
      API_KEY: apiKey,
      API_JWT_SECRET: apiKey,
      AES_ENCRYPTION_SECRET: apiKey,
      TOPICS: TOPIC,
      REDIS_HOST: '127.0.0.1',
      REDIS_PORT: String(redisPort),
      POSTGRES_URL: postgres.url,
      RABBITMQ_SERVER_URL: rabbitmq.url,
      LOG_LEVEL: 'error',
      DISABLE_TELEMETRY: 'true',
    };
    const command = path.join(programs.OUTPOST_BIN, 'outpost');
    await runToEnd(command, ['migrate', 'apply', '--yes'], { cwd: folder, env });
    const outpost = start(command, ['serve'], env);
    const call = async (method: string, route: string, body: object) => {
      const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' };
      const url = `http://127.0.0.1:${port}/api/v1/tenants/${TENANT}${route}`;
      const response = await fetch(url, { method, headers, body: JSON.stringify(body) });
      if (!response.ok) throw new Error(`${url} responded with ${response.status}: ${await response.text()}`);
    };
    await untilReady('Outpost', () => call('PUT', '', {}));
    await call('POST', '/destinations', {
      type: 'webhook',
      topics: [TOPIC],
      config: { url: destinationUrl },
    });

    const servers = { outpost, rabbitmq: rabbitmq.child, redis: redis.process, postgres: postgres.child };
    const countLogged = async () => Number(await postgres.query('SELECT count(*) FROM attempts'));
    return await work({
      port,
      apiKey,
      pids: () => pidsOf(servers),
      untilLogged: (attempts, timeoutMs) =>
        eventually(timeoutMs, async () => (await countLogged()) >= attempts, LOG_POLL_MS),
    });
  } finally {
    await cleanup.run();
  }
}

function pidsOf(servers: Record<string, ChildProcess>): Pids {
  const pids: Pids = {};
  for (const [name, { pid = 0 }] of Object.entries(servers)) {
    pids[name] = pid;
    for (const child of childrenOf(pid)) pids[`${name} ${child}`] = child;
  }
  return pids;
}
