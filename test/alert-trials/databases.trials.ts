import { mkdir, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { migrate } from '../../src/operations/database/migrate.service.ts';
import { GUARD_INDEX } from '../../src/reservations/reservations.indexes.ts';
import type { TrialRow } from './trial.ts';
import type { TrialSystem } from './trial-system.ts';

/** Makes MongoDB block these commands on the service's reservations only. */
async function blockCommands(system: TrialSystem, failCommands: readonly string[], blockTimeMS: number): Promise<void> {
  const data = { failCommands, namespace: `${system.db.name}.reservations`, blockConnection: true, blockTimeMS };
  await failCommand(system, { mode: 'alwaysOn', data });
}

async function failCommand({ db }: TrialSystem, settings: Record<string, unknown>): Promise<void> {
  await db
    .getClient()
    .db('admin')
    .command({ configureFailPoint: 'failCommand', ...settings });
}

const unblock = (system: TrialSystem) => failCommand(system, { mode: 'off' });

async function askRedis<T>({ redis }: TrialSystem, ask: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(redis.uri);
  try {
    return await ask(client);
  } finally {
    client.disconnect();
  }
}

/** Makes or removes a folder with the name of the snapshot, which Redis then cannot or can write. */
async function saveAfter(system: TrialSystem, makeOrRemove: (folder: string) => Promise<unknown>): Promise<void> {
  await askRedis(system, async (redis) => {
    const [, dataFolder] = await redis.config('GET', 'dir');
    await makeOrRemove(path.join(String(dataFolder), 'dump.rdb'));
    await redis.bgsave();
  });
}

const writeAof = (system: TrialSystem, appendonly: 'yes' | 'no') =>
  askRedis(system, (redis) => redis.config('SET', 'appendonly', appendonly));

const limitMemory = (system: TrialSystem, bytes: number) =>
  askRedis(system, (redis) => redis.config('SET', 'maxmemory', bytes));

const PAUSE_MS = 100;

/** Calls that a partner repeats until stopped, whatever the responses are. */
type Load = { stop(): Promise<void> };

function repeat(lanes: number, call: () => Promise<unknown>): Load {
  const stopping = new AbortController();
  const lane = async () => {
    for (; !stopping.signal.aborted; ) {
      await call().catch(() => undefined);
      await delay(PAUSE_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const all = Promise.all(Array.from({ length: lanes }, lane));
  return {
    stop: async () => {
      stopping.abort();
      await all;
    },
  };
}

/** Places holds on free slots. */
const placeHolds = ({ partner, nextSlot }: TrialSystem, lanes: number): Load =>
  repeat(lanes, () => partner.api.post('/api/v1/partner/holds', { slot_id: nextSlot(), ttl_seconds: 900 }));

/** Searches bookings by a different phone number each time, so that calls do not share a read of the database. */
function readBookings({ partner }: TrialSystem, lanes: number): Load {
  let number = 9_800_000_000;
  return repeat(lanes, () => partner.api.get(`/api/v1/bookings?customer_phone=%2B91${number++}`));
}

/** The load of the trial in progress. */
let load: Load | undefined;
async function stopLoad(): Promise<void> {
  await load?.stop();
  load = undefined;
}

export const DATABASE_TRIALS: readonly TrialRow[] = [
  {
    fault: 'MongoDB is frozen while holds are placed',
    alerts: ['BookingDatabaseDown', 'BookingSalesFailing', 'BookingServerErrors', 'BookingMemoryLeaseLost'],
    inflict: async (system) => {
      load = placeHolds(system, 4);
      await (await system.mongo.primary()).signal('SIGSTOP');
    },
    mend: async (system) => {
      for (const member of system.mongo.members) await member.signal('SIGCONT');
      await stopLoad();
    },
    // The window of BookingSalesFailing, and time for the calls in progress.
    clearsWithinMs: 180_000,
  },
  {
    fault: 'Redis is frozen',
    alerts: ['BookingRedisDown'],
    inflict: ({ redis }) => redis.signal('SIGSTOP'),
    mend: ({ redis }) => redis.signal('SIGCONT'),
  },
  {
    fault: 'Redis is full',
    alerts: ['BookingRedisRefusesWrites', 'BookingRedisMemoryNearLimit'],
    inflict: (system) => limitMemory(system, 1),
    mend: (system) => limitMemory(system, 0),
  },
  {
    fault: 'Redis can save nothing',
    alerts: ['BookingRedisPersistenceFailing'],
    inflict: (system) => saveAfter(system, mkdir),
    mend: (system) => saveAfter(system, rmdir),
  },
  {
    fault: 'Redis uses nearly all of its maxmemory',
    alerts: ['BookingRedisMemoryNearLimit'],
    inflict: async (system) => {
      const [, used] = /^used_memory:(\d+)/m.exec(await askRedis(system, (redis) => redis.info())) ?? [];
      await limitMemory(system, Math.round(Number(used) * 1.08));
    },
    mend: (system) => limitMemory(system, 0),
  },
  {
    fault: "MongoDB's aggregations of reservations time out",
    alerts: ['BookingFiguresAbsent'],
    inflict: (system) => blockCommands(system, ['aggregate'], 3000),
    mend: unblock,
  },
  {
    fault: '200 concurrent calls while each read of MongoDB takes 2 s',
    alerts: ['BookingDatabasePoolExhausted', 'BookingApiSlow'],
    inflict: async (system) => {
      await blockCommands(system, ['find', 'aggregate'], 2000);
      load = readBookings(system, 200);
    },
    mend: async (system) => {
      await unblock(system);
      await stopLoad();
    },
    clearsWithinMs: 180_000,
  },
  {
    fault: 'a guard index is dropped',
    alerts: ['BookingGuardMissing'],
    kinds: ['guard_index_absent'],
    inflict: ({ db }) => db.collection('reservations').dropIndex(GUARD_INDEX),
    mend: ({ db }) => migrate(db),
  },
  {
    fault: 'the AOF of Redis is switched off',
    alerts: ['BookingRedisVolatile'],
    kinds: ['redis_volatile'],
    inflict: (system) => writeAof(system, 'no'),
    mend: (system) => writeAof(system, 'yes'),
  },
];
