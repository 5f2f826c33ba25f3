import path from 'node:path';
import { migrate } from '../../src/operations/database/migrate.service.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { createDb, openDb } from '../../src/platform/mongo-connection.ts';
import { WORKED_QUEUES } from '../../src/queues/jobs.ts';
import { createQueues } from '../../src/queues/queues.ts';
import { startAlertReceiver } from '../alerts/watching.ts';
import { eventually } from '../support/eventually.ts';
import { subscribe } from '../support/factories.ts';
import { type KeptProcess, keptProcess } from '../support/kept-process.ts';
import { startMongoSet } from '../support/mongo-set.ts';
import { freePort, KEEPS_DATA, ownRedis } from '../support/own-servers.ts';
import { startReceiver } from '../support/receiver.ts';
import { nextDays, startScene } from '../support/scene.ts';
import { serviceEnvironment } from '../support/service-environment.ts';
import { programArguments, START_DEADLINE_MS } from '../support/worker-process.ts';
import { startPrometheus } from './prometheus.ts';

/** Each queue has a worker with its name. */
const PARTS = ['api', ...WORKED_QUEUES] as const;
export type Part = (typeof PARTS)[number];

export type TrialSystem = Awaited<ReturnType<typeof startTrialSystem>>;

/** File descriptors of a process: few, so that a trial can use them up. About 40 are needed. */
const MAX_FILES = 400;
/** Preloaded into every process: makes it use up its heap and descriptors at a signal. */
const HOGS = path.join(import.meta.dirname, 'hogs.mjs');

/** The whole service as in production, with its own Prometheus, and a partner that subscribes to its events. */
export async function startTrialSystem(overrides: Record<string, string> = {}) {
  const [mongo, redis, alerts, receiver] = await Promise.all([
    startMongoSet(1),
    ownRedis(KEEPS_DATA),
    startAlertReceiver(),
    startReceiver(),
  ]);
  await redis.start();
  const name = 'alerts';
  const environment = serviceEnvironment(name, {
    RATE_LIMIT_PER_MINUTE: '0',
    LOG_LEVEL: 'error',
    CACHE_LEASE_MS: '1000',
    ...overrides,
    MONGODB_URI: mongo.uri,
    REDIS_URL: redis.uri,
    ALERT_URL: alerts.url,
    NODE_OPTIONS: `--max-old-space-size=400 --import=${HOGS}`,
  });
  const db = createDb();
  const log = createLogger('auditor', 'silent');
  const stopping = new AbortController();
  await openDb(db, mongo.uri, log, stopping.signal);
  await migrate(db);
  const queues = createQueues(redis.uri, `{${name}}`, log);

  const port = await freePort();
  const portOf = Object.fromEntries(await Promise.all(PARTS.map(async (part) => [part, await freePort()]))) as Record<
    Part,
    number
  >;
  const parts = Object.fromEntries(
    PARTS.map((part) => [part, startable(part, environment, port, portOf[part])]),
  ) as Record<Part, KeptProcess>;
  const restart = async (part: Part) => {
    await parts[part].start();
    const isThere = async () => (await fetch(`http://127.0.0.1:${portOf[part]}/readyz`)).ok;
    await eventually(`${part} is ready`, isThere, START_DEADLINE_MS);
  };
  await Promise.all(PARTS.map(restart));
  const [url, adminUrl] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${portOf.api}`];
  const targets = PARTS.map((part): [string, string] => [`partner-booking-${part}`, `127.0.0.1:${portOf[part]}`]);
  const prometheus = await startPrometheus(Object.fromEntries(targets));

  const { partner, slot } = await startScene(
    { url, adminUrl },
    { resources: [{ duration_minutes: 5 }], days: nextDays(5) },
  );
  const { id: subscriptionId } = await subscribe(partner, receiver.url);
  return {
    url,
    adminUrl,
    db,
    queues,
    mongo,
    redis,
    /** The processes. Each keeps its port, so that Prometheus sees the same target after a restart. */
    parts,
    /** Restarts a killed process, and waits until it responds. */
    restart,
    partner,
    receiver,
    subscriptionId,
    alerts,
    prometheus,
    /** A free slot that no other call has returned. */
    nextSlot: slot,
    stop: async () => {
      await prometheus.stop();
      await Promise.all(Object.values(parts).map((part) => part.end()));
      await queues.close();
      stopping.abort();
      await db.close();
      await Promise.all([redis.discard(), mongo.discard(), alerts.close(), receiver.close()]);
    },
  };
}

function startable(part: Part, environment: Record<string, string>, port: number, ownPort: number): KeptProcess {
  const ports = part === 'api' ? { PORT: port, ADMIN_PORT: ownPort } : { HEALTH_PORT: ownPort };
  const settings = Object.entries({ ...environment, ...ports, PATH: process.env['PATH'] ?? '' });
  const [file = ''] = programArguments(part === 'api' ? 'src/main/api.ts' : `workers/${part}.ts`);
  return keptProcess(async () => [
    ...['sh', '-c', `ulimit -n ${MAX_FILES}; exec "$@"`, 'sh'],
    ...['env', '-i', ...settings.map(([name, value]) => `${name}=${value}`)],
    ...[process.execPath, file],
  ]);
}
