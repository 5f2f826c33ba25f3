/** The whole system on one machine: embedded servers, migration, the API and one process of each worker. */

import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isBeyondLoopback } from '../../config/settings.rules.ts';
import { parseUrl } from '../../platform/parse-url.ts';
import { field, untilReady } from '../embedded/api-caller.ts';
import { requireFreeApiPorts } from '../embedded/ports.ts';
import type { Environment, LogLine } from '../embedded/server-kinds.ts';
import { type EmbeddedServers, startEmbeddedServers } from '../embedded/servers.ts';
import { startDemo } from './demo-partner.ts';
import { ensureSecrets, type Secrets } from './secrets.ts';
import {
  type ProcessSpec,
  runToEnd,
  type SupervisedProcess,
  superviseProcess,
} from './supervised-process.ts';
import { welcomeText } from './welcome.ts';

/** A process cuts its own stop after 25 s; this is for one that cannot. */
const graceMs = 26_000;
const stepAtHandMs = 5_000;
const workerNames = ['hold-expiry', 'webhook-delivery'] as const;

export type SystemOptions = {
  /** The folder that holds `src/` and `workers/`. */
  root: string;
  /** The process' environment object itself. */
  env: Environment;
  /** Gets what people should read. */
  log: LogLine;
  /** Told, in a sentence, when an embedded server ends by itself; the system must be stopped then. */
  onServerEnd: (sentence: string) => void;
};

export type System = {
  /** Resolves when everything runs. @throws Error in words for people; `stop` must be called then too */
  start: () => Promise<void>;
  /** API, then workers (25 s to finish), then Redis, then MongoDB. At any time; safe to call twice. */
  stop: () => Promise<void>;
  /** Ends all of it at once, without waiting. */
  kill: () => void;
};

/**
 * The system of `npm start`. MongoDB is embedded unless `MONGODB_URI` is set, Redis unless `REDIS_URL` is. With its own
 * MongoDB it also makes the secrets that are missing, listens on loopback only, and sets up the demo.
 */
export function createSystem({ root, env, log, onServerEnd }: SystemOptions): System {
  const dataDir = env['DATA_DIR'] || '.data';
  const stopping = new AbortController();
  /** In the order of the start; undone in reverse. */
  const releases: (() => Promise<unknown>)[] = [];
  const processes: SupervisedProcess[] = [];
  let servers: EmbeddedServers | undefined;
  let starting: Promise<void> | undefined;
  let stopped: Promise<void> | undefined;

  const startAll = async (): Promise<void> => {
    const external = { mongodbUri: env['MONGODB_URI'], redisUrl: env['REDIS_URL'] };
    servers = await startEmbeddedServers({ dataDir, env, log, external, onUnexpectedEnd: onServerEnd });
    releases.push(servers.stop);
    // After the folder's lock: of a system that runs already, that says more than its ports would.
    await requireFreeApiPorts({
      PORT: { port: Number(env['PORT'] || 3000), host: env['HOST'] || '127.0.0.1' },
      ADMIN_PORT: { port: Number(env['ADMIN_PORT'] || 3001), host: env['ADMIN_HOST'] || '127.0.0.1' },
    });
    const secrets = external.mongodbUri ? undefined : await ensureSecrets(dataDir, env);
    const childEnv = childEnvironment(env, dataDir, servers, secrets);
    const envOf = (name: string): Environment =>
      Object.fromEntries(Object.entries(childEnv).filter(([variable]) => isMeantFor(name, variable)));
    await mkdir(path.join(dataDir, 'logs'), { recursive: true });
    const spec = (name: string, file: string): ProcessSpec => ({
      ...{ name, log, env: () => envOf(name), file: path.join(root, file) },
      logFile: path.join(dataDir, 'logs', `${name}.log`),
    });
    stopping.signal.throwIfAborted();
    await runToEnd(spec('migrate', 'src/migrate.ts'), stopping.signal);
    const demo = secrets && (await startDemo(dataDir, log));
    if (demo) releases.push(demo.stop);
    stopping.signal.throwIfAborted();

    const workers = workerNames.map((name) => superviseProcess(spec(name, `workers/${name}.ts`)));
    const api = superviseProcess(spec('api', 'src/api.ts'));
    processes.push(api, ...workers);
    releases.push(() => Promise.all(workers.map((worker) => worker.stop(graceMs))));
    releases.push(() => api.stop(graceMs));
    const [ready] = await Promise.all(processes.map((process) => process.ready));
    const addresses = { url: addressIn(ready, 'url'), adminUrl: addressIn(ready, 'adminUrl') };
    // An API that is restarted must be found where it was, also when it had been given any free port.
    childEnv['PORT'] = new URL(addresses.url).port;
    childEnv['ADMIN_PORT'] = new URL(addresses.adminUrl).port;
    await untilReady(addresses.url);
    stopping.signal.throwIfAborted();
    const ofDemo =
      secrets && (await demo?.provision({ ...addresses, operatorApiKey: secrets.operatorApiKey }));
    log(welcomeText({ ...addresses, dataDir, secrets, demo: ofDemo }));
  };
  const stopAll = async (): Promise<void> => {
    stopping.abort(new Error('stopped while starting'));
    // The step at hand may be about to add something to release.
    await Promise.race([starting?.catch(() => undefined), wait(stepAtHandMs, undefined, { ref: false })]);
    for (const release of releases.toReversed()) await release();
  };
  return {
    start: () => (starting = startAll()),
    stop: () => (stopped ??= stopAll()),
    kill: () => {
      for (const process of processes) process.kill();
      servers?.terminate();
    },
  };
}

/** The processes that each secret is for; the others are started without it. */
const secretsFor: Record<string, readonly string[]> = {
  OPERATOR_API_KEY: ['api'],
  ENCRYPTION_KEYS: ['api', 'webhook-delivery'],
};

function isMeantFor(name: string, variable: string): boolean {
  return secretsFor[variable]?.includes(name) ?? true;
}

function childEnvironment(
  env: Environment,
  dataDir: string,
  servers: EmbeddedServers,
  secrets: Secrets | undefined,
): Environment {
  const host = env['HOST'] || '127.0.0.1';
  // The demo's receiver is on this machine; where others reach the service, partners may not call into it.
  const mayCallThisMachine = !isBeyondLoopback({ host, adminHost: env['ADMIN_HOST'] || '127.0.0.1' });
  return {
    ...env,
    DATA_DIR: dataDir,
    // Three workers on one machine.
    HEALTH_PORT: '0',
    MONGODB_URI: servers.mongodbUri,
    REDIS_URL: servers.redisUrl,
    // What is embedded is reached over loopback alone, and asks for a password.
    ...(servers.pids.mongodb !== undefined && { MONGODB_ALLOW_INSECURE: 'true' }),
    ...(servers.pids.redis !== undefined && { REDIS_ALLOW_INSECURE: 'true' }),
    ...(secrets && {
      OPERATOR_API_KEY: secrets.operatorApiKey,
      ENCRYPTION_KEYS: secrets.encryptionKeys,
      HOST: host,
      WEBHOOK_ALLOW_PRIVATE_NETWORKS: env['WEBHOOK_ALLOW_PRIVATE_NETWORKS'] || String(mayCallThisMachine),
    }),
  };
}

function addressIn(ready: object | undefined, name: string): string {
  const address = field(ready, name);
  if (typeof address === 'string' && parseUrl(address) !== undefined) return address;
  throw new Error(`the API became ready without naming its ${name}`);
}
