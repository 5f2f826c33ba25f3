import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import { type SystemOptions, startSystem } from '../faults/system.ts';
import { inWords, startTrading, TRADING_OVERRIDES } from '../faults/trading.ts';
import { noteFinding } from '../support/findings.ts';
import type { KeptProcess } from '../support/kept-process.ts';
import { type GuardedSet, type MongoSet, startMongoSet } from '../support/mongo-set.ts';
import { KEEPS_DATA, ownRedis } from '../support/own-servers.ts';
import { mulberry32, propertySeed } from '../support/random.ts';
import type { Guarded, RedisSet } from '../support/redis-sets.ts';
import { startBehindOneAddress, startCluster, startSentinels } from '../support/redis-sets.ts';
import { releasing } from '../support/releases.ts';
import { serviceEnvironment } from '../support/service-environment.ts';
import { endProcesses, killProcess, logged, startProcess } from '../support/worker-process.ts';
import { CERTIFICATES, certificatesIn } from './certificates.ts';
import { PROBE_TTL_SECONDS, startProbe } from './probe.ts';
import { redisWithTls } from './tls-redis.ts';

/** A key on the node that has the queues. */
const QUEUES_KEY = '{pbs}:webhook-delivery:meta';
const SETTLED_MS = 8000;

afterAll(endProcesses);
const atEnd = releasing(afterAll);

type Topology = {
  servers: NonNullable<SystemOptions['servers']>;
  overrides?: Record<string, string>;
  /** Makes the node that takes writes fail; resolves when another has taken over. */
  fail(): Promise<void>;
};

const serverOf = ({ url, discard }: RedisSet) => ({ uri: url, discard });

/** Kills the node that `current` finds; resolves when another has taken over and the killed one runs again. */
async function killAndReplace(current: () => Promise<KeptProcess | undefined>): Promise<void> {
  const before = await current();
  await before?.signal('SIGKILL');
  await delay(500);
  expect(await current()).not.toBe(before);
  await before?.start();
}

async function withRedis(mongo: MongoSet, set: RedisSet): Promise<Topology> {
  return {
    servers: { mongo, redis: serverOf(set) },
    fail: () => killAndReplace(async () => set.nodes[await set.masterOf(QUEUES_KEY)]),
  };
}

async function withMongo(mongo: MongoSet, redis: Topology['servers']['redis']): Promise<Topology> {
  return {
    servers: { mongo, redis },
    fail: async () => {
      await killAndReplace(mongo.primary);
      await mongo.untilWhole();
    },
  };
}

async function oneRedis() {
  const redis = await ownRedis(KEEPS_DATA);
  await redis.start();
  return redis;
}

/** Settings of TLS and passwords for all servers. */
function guards(): { redis: Guarded; mongo: GuardedSet; overrides: Record<string, string> } {
  const { ca, certificate, key, both, memberKey } = certificatesIn(process.env[CERTIFICATES] ?? '');
  const password = randomBytes(16).toString('hex');
  const tls = ['--tls-cert-file', certificate, '--tls-key-file', key, '--tls-ca-cert-file', ca];
  return {
    redis: {
      password,
      ca: readFileSync(ca, 'utf8'),
      command: redisWithTls(),
      tls: [...tls, '--tls-auth-clients', 'no'],
    },
    mongo: { ca, both, memberKey, password },
    overrides: { NODE_EXTRA_CA_CERTS: ca },
  };
}

const TOPOLOGIES: [string, string, () => Promise<Topology>][] = [
  [
    'two Redis behind one address',
    'their roles change',
    async () => {
      const redis = await startBehindOneAddress();
      return { servers: { mongo: await startMongoSet(1), redis }, fail: redis.failOver };
    },
  ],
  [
    'three sentinels, a master and two replicas',
    'the master of Redis is killed',
    async () => withRedis(await startMongoSet(1), await startSentinels()),
  ],
  [
    'a Redis Cluster of three masters and three replicas',
    'the master that has the queues is killed',
    async () => withRedis(await startMongoSet(1), await startCluster()),
  ],
  [
    'a replica set of three',
    'the primary of MongoDB is killed',
    async () => withMongo(await startMongoSet(3), await oneRedis()),
  ],
  [
    'sentinels and a replica set of three, with TLS and passwords',
    'the master of Redis is killed',
    async () => {
      const { redis, mongo, overrides } = guards();
      const topology = await withRedis(await startMongoSet(3, mongo), await startSentinels(redis));
      return { ...topology, overrides };
    },
  ],
  [
    'a Redis Cluster and a replica set of three, with TLS and passwords',
    'the primary of MongoDB is killed',
    async () => {
      const { redis, mongo, overrides } = guards();
      const set = await startCluster(redis);
      const topology = await withMongo(await startMongoSet(3, mongo), serverOf(set));
      return { ...topology, overrides };
    },
  ],
];

describe.each(TOPOLOGIES)('%s', (name, failure, start) => {
  test(`continues to sell, loses nothing and sells nothing twice while ${failure}`, async () => {
    const topology = await start();
    const overrides = {
      ...TRADING_OVERRIDES,
      QUEUE_PREFIX: '{pbs}',
      RATE_LIMIT_PER_MINUTE: '1000000',
      HOLD_TTL_SECONDS: String(PROBE_TTL_SECONDS),
      ...topology.overrides,
    };
    const system = await startSystem({ servers: topology.servers, overrides });
    atEnd(system.stop);
    if (topology.overrides) await expectTlsVerified(topology.servers);
    const trading = await startTrading(system);
    atEnd(trading.stop);
    const { figures, seen } = await trading.during(mulberry32(propertySeed()), async (sales) => {
      await sales.goOn();
      const calm = startProbe(system, trading);
      await delay(SETTLED_MS);
      const before = await calm.stop();
      const probe = startProbe(system, trading);
      await delay(1000);
      await topology.fail();
      await delay(SETTLED_MS);
      await sales.goOn();
      return { before, during: await probe.stop() };
    });
    expect(figures.faults).toEqual([]);
    noteFinding({ name, what: failure, ...seen, ...inWords(figures) });
  }, 400_000);
});

/** Control: a process that does not trust the CA reaches neither server. */
async function expectTlsVerified({ mongo, redis }: Topology['servers']): Promise<void> {
  const settings = { MONGODB_URI: mongo.uri, REDIS_URL: redis.uri, QUEUE_PREFIX: '{pbs}', HEALTH_PORT: '0' };
  const stranger = startProcess('workers/hold-expiry.ts', serviceEnvironment('stranger', settings));
  const { error } = await logged(stranger, 'waiting for MongoDB: it cannot be reached yet');
  expect(error).toMatch(/certificate/);
  // For Redis no reason is checked: the client of sentinels only reports that the connection ended.
  await logged(stranger, 'waiting for Redis: it cannot be reached');
  await killProcess(stranger);
}
