/**
 * Runs services for the suites of a run, so that their code is loaded only once (service-host.ts). Reports its address.
 * Ends at SIGTERM, or with the process that started it.
 */

import path from 'node:path';
import { pathToFileURL } from 'node:url';
import closeWithGrace from 'close-with-grace';
import type { NextFunction, Request, Response } from 'express';
import express from 'express';
import { Redis } from 'ioredis';
import { listen } from '../../src/http/listen.ts';
import { waitForNoLease } from './leased-cache.in-host.ts';
import { leftOnServers } from './left-on-servers.ts';
import { createMigratedDatabases } from './migrated-databases.ts';
import { type Service, startService } from './service.ts';
import type { ServiceCalls } from './service-calls.ts';
import { databaseUri, prefixOfWorker, runSetting, SHARED_NAME } from './service-environment.ts';
import type { HostedOptions } from './service-host.ts';
import { projectFolder } from './worker-process.ts';
import { startWorkers, type Workers } from './workers.ts';

type Hosted = { service: Service; workers: Workers | undefined; keptDatabase: string | undefined };

const hosted = new Map<string, Hosted>();

const hostedNamed = (name: string): Hosted => {
  const found = hosted.get(name);
  if (found === undefined) throw new Error(`No service ${name} runs here`);
  return found;
};

/** Long leases, for busy machines. No change waits for them, because no other process uses the database. */
const LASTING_LEASES = { CACHE_LEASE_MS: '2000' };

/** Starts a service on a reused database, unless the suite names its own. */
async function start(name: string, options: HostedOptions): Promise<Service> {
  const { hasWorkers = false, isAlone = false } = options;
  const overrides: Record<string, string> = { ...(isAlone && LASTING_LEASES), ...options.overrides };
  const kept = overrides['MONGODB_URI'] === undefined ? databases.take() : undefined;
  const database = kept === undefined ? {} : { MONGODB_URI: databaseUri(kept.name) };
  const service = await startService({ ...database, ...overrides }, { name, isMigrated: kept?.isMigrated ?? false });
  if (isAlone) waitForNoLease(service.context);
  const workers = hasWorkers ? await startWorkers(service.environment) : undefined;
  hosted.set(name, { service, workers, keptDatabase: kept?.name });
  return service;
}

async function stop(name: string, keepsDatabase: boolean): Promise<void> {
  const { service, workers, keptDatabase } = hostedNamed(name);
  hosted.delete(name);
  await workers?.stop();
  await service.stop({ keepsDatabase: keepsDatabase || keptDatabase !== undefined });
  if (keptDatabase !== undefined && !keepsDatabase) await databases.giveBack(keptDatabase);
}

/** Stops the services that a Jest worker left running; returns descriptions of all that it left. */
async function leftBy(worker: string): Promise<string[]> {
  const own = prefixOfWorker(worker);
  const running = [...hosted.keys()].filter((name) => name.startsWith(own));
  for (const name of running) await stop(name, false);
  return [...running.map((name) => `the service ${name}`), ...(await leftOnServers(mongo, redis, own))];
}

const app = express();
app.use(express.json({ limit: '10mb' }));
app.post('/services/:name', async ({ params, body }, res) => {
  const { url, adminUrl, environment } = await start(params.name, body as HostedOptions);
  res.json({ url, adminUrl, environment });
});
app.delete('/services/:name', async ({ params, query }, res) => {
  await stop(params.name, query['keepsDatabase'] === 'true');
  res.json({});
});
app.get('/services/:name/logs', ({ params }, res) => {
  const { service, workers } = hostedNamed(params.name);
  res.json({ service: service.logs(), workers: workers?.log() ?? [] });
});
app.post('/services/:name/calls/:call', async ({ params, body }, res) => {
  const { service } = hostedNamed(params.name);
  const make = service[params.call as keyof ServiceCalls] as (...given: unknown[]) => Promise<unknown>;
  res.json({ result: await make(...(body as { given: unknown[] }).given) });
});
app.post('/services/:name/functions/:file/:function', async ({ params, body }, res) => {
  const { service } = hostedNamed(params.name);
  const module = (await import(pathToFileURL(path.join(projectFolder, params.file)).href)) as Record<string, unknown>;
  const call = module[params.function] as (context: unknown, ...given: unknown[]) => Promise<unknown>;
  res.json({ result: await call(service.context, ...(body as { given: unknown[] }).given) });
});
app.post('/workers/:id/left', async ({ params }, res) => {
  res.json(await leftBy(params.id));
});
// Express omits stacks with NODE_ENV=production, and suites report them.
app.use((err: Error, _req: Request, res: Response, _next: NextFunction) => {
  res.status(500).type('text').send(err.stack);
});

const shared = await startService({ LOG_LEVEL: 'warn', ...LASTING_LEASES }, { name: SHARED_NAME });
hosted.set(SHARED_NAME, { service: shared, workers: undefined, keptDatabase: undefined });
waitForNoLease(shared.context);
const mongo = shared.context.db.getClient();
const redis = new Redis(runSetting('TEST_REDIS_URL'));
const databases = createMigratedDatabases(mongo, SHARED_NAME);
const listener = await listen(app, '127.0.0.1', 0);
process.send?.({ hostUrl: listener.url, url: shared.url, adminUrl: shared.adminUrl });

// Give up on services that hang, because MongoDB may have ended first.
const ending = closeWithGrace({ delay: 5000 }, async () => {
  process.stdout.write(shared.logs());
  redis.disconnect();
  await Promise.all([...hosted.keys()].map((name) => stop(name, true)));
  await listener.close();
});
process.once('disconnect', ending.close);
