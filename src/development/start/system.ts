/** The whole system on one machine: embedded servers, migration, the API and one of each worker. */

import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isBeyondLoopback } from '../../process/config/setting-combinations.rules.ts';
import { type Cleanup, createCleanup } from '../cleanup.ts';
import { textField, untilReady } from '../embedded/api-caller.ts';
import { ensureTexts, readState } from '../embedded/data-folder.ts';
import type { Environment, LogLine } from '../embedded/run-command.ts';
import { type EmbeddedServers, startEmbeddedServers } from '../embedded/servers.ts';
import { findFreeSlot, provisionDemo, startDemoReceiver } from './demo-partner.ts';
import { type ProcessSpec, runToEnd, type SupervisedProcess, superviseProcess } from './supervised-process.ts';
import type { Welcome } from './welcome.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
/** Longer than the 25 s that a process gives itself to stop. */
const graceMs = 26_000;
const currentStepMs = 5_000;
const workerNames = ['hold-expiry', 'webhook-delivery'];
/** The processes that need each secret; other processes do not get it. */
const secretsFor: Record<string, readonly string[]> = {
  OPERATOR_API_KEY: ['api'],
  ENCRYPTION_KEYS: ['api', 'webhook-delivery'],
};

/**
 * The system of `npm start`. MongoDB is embedded unless `MONGODB_URI` is set, Redis unless `REDIS_URL` is. With an
 * embedded MongoDB it also makes missing secrets, sets `HOST` to loopback if unset, and provides the demo.
 */
export function createSystem(env: Environment, log: LogLine, onServerEnd: (sentence: string) => void) {
  const dataDir = env['DATA_DIR'] || '.data';
  const stopping = new AbortController();
  const cleanup = createCleanup();
  const processes: SupervisedProcess[] = [];
  let starting: Promise<Welcome> | undefined;

  const startAll = async (): Promise<Welcome> => {
    const external = { mongodbUri: env['MONGODB_URI'], redisUrl: env['REDIS_URL'] };
    const servers = await startEmbeddedServers({ dataDir, env, log, external, onUnexpectedEnd: onServerEnd });
    cleanup.add(servers.stop);
    const secrets = external.mongodbUri ? undefined : await ensureSecrets(dataDir, env);
    const childEnv = childEnvironment(env, dataDir, servers, secrets);
    await mkdir(path.join(dataDir, 'logs'), { recursive: true });
    const spec = (name: string, file: string): ProcessSpec => ({
      name,
      file: path.join(root, file),
      env: Object.fromEntries(
        Object.entries(childEnv).filter(([variable]) => secretsFor[variable]?.includes(name) ?? true),
      ),
      logFile: path.join(dataDir, 'logs', `${name}.log`),
      log,
    });
    stopping.signal.throwIfAborted();
    await runToEnd(spec('migrate', 'src/main/migrate.ts'), stopping.signal);
    const receiver = secrets && (await startDemoReceiver(dataDir, log));
    if (receiver) cleanup.add(receiver.close);
    stopping.signal.throwIfAborted();

    const apiSpec = spec('api', 'src/main/api.ts');
    const api = superviseProcess(apiSpec);
    const workers = workerNames.map((name) => superviseProcess(spec(name, `workers/${name}.ts`)));
    processes.push(api, ...workers);
    cleanup.add(() => Promise.all(workers.map((worker) => worker.stop(graceMs))));
    cleanup.add(() => api.stop(graceMs));
    const [ready] = await Promise.all(processes.map((process) => process.ready));
    const addresses = { url: textField(ready, 'url'), adminUrl: textField(ready, 'adminUrl') };
    // A restarted API must keep its addresses, even if the ports were chosen automatically.
    apiSpec.env['PORT'] = new URL(addresses.url).port;
    apiSpec.env['ADMIN_PORT'] = new URL(addresses.adminUrl).port;
    await untilReady(addresses.url);
    stopping.signal.throwIfAborted();
    const welcome = { ...addresses, dataDir, secrets };
    if (!secrets || !receiver) return welcome;
    try {
      const demo = await provisionDemo({ ...addresses, ...secrets }, dataDir, `${receiver.url}/webhooks`);
      return { ...welcome, demo: { ...demo, tomorrow: await findFreeSlot(addresses.url, demo) } };
    } catch (error) {
      // Without the demo the system is still useful.
      log(`The demo could not be set up: ${(error as Error).message}`);
      return welcome;
    }
  };
  return {
    /** Resolves when everything runs. Throws an Error with a message for the user. Call `stop` even then. */
    start: () => (starting = startAll()),
    /** Stops the API, then workers (25 s to finish), Redis, MongoDB. Safe to call at any time and twice. */
    stop: async () => {
      stopping.abort(new Error('stopped while starting'));
      // Wait for the current step, which may add to `cleanup`.
      await Promise.race([starting?.catch(() => undefined), wait(currentStepMs, undefined, { ref: false })]);
      await cleanup.run();
    },
    kill: () => {
      for (const process of processes) process.kill();
    },
  };
}

/** The addresses and the operator key of a running system. */
export type RunningSystem = { url: string; adminUrl: string; operatorApiKey: string };

/** Starts a system on free ports and in a temporary folder; `cleanup` stops it and removes the folder. */
export async function startTemporarySystem(env: Environment, cleanup: Cleanup, log: LogLine): Promise<RunningSystem> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'partner-booking-demo-'));
  cleanup.add(() => rm(dataDir, { recursive: true, force: true }));
  const location = { DATA_DIR: dataDir, PORT: '0', ADMIN_PORT: '0', HOST: '' };
  const overrides = { ...location, MONGODB_URI: '', REDIS_URL: '', SERVICE_MODE: 'sandbox' };
  const system = createSystem({ ...env, ...overrides }, log, log);
  cleanup.add(system.stop);
  const { url, adminUrl, secrets } = await system.start();
  return { url, adminUrl, operatorApiKey: secrets?.operatorApiKey ?? '' };
}

async function ensureSecrets(dataDir: string, env: Environment) {
  const file = 'secrets.json';
  const { operatorApiKey: earlierKey } = await readState(dataDir, file);
  const stored = await ensureTexts(dataDir, file, {
    operatorApiKey: () => `op_${randomBytes(32).toString('base64url')}`,
    encryptionKeys: () => randomBytes(32).toString('base64'),
  });
  return {
    operatorApiKey: env['OPERATOR_API_KEY'] || stored.operatorApiKey,
    encryptionKeys: env['ENCRYPTION_KEYS'] || stored.encryptionKeys,
    isOperatorKeyNew: !env['OPERATOR_API_KEY'] && earlierKey === undefined,
  };
}

function childEnvironment(
  env: Environment,
  dataDir: string,
  servers: EmbeddedServers,
  secrets: Awaited<ReturnType<typeof ensureSecrets>> | undefined,
): Environment {
  const host = env['HOST'] || '127.0.0.1';
  // The demo's receiver is on this machine, which webhooks must not reach if other machines reach the service.
  const mayCallThisMachine = !isBeyondLoopback({ host, adminHost: env['ADMIN_HOST'] || '127.0.0.1' });
  return {
    ...env,
    DATA_DIR: dataDir,
    // Workers on one machine cannot share a port: each picks a free one.
    HEALTH_PORT: '0',
    MONGODB_URI: servers.mongodbUri,
    REDIS_URL: servers.redisUrl,
    // Embedded servers are reached over loopback only and require a password.
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
