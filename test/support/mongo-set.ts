import { mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import mongoose from 'mongoose';
import { mongodKind } from '../../src/development/embedded/server-kinds.ts';
import { eventually } from './eventually.ts';
import { bareServer, distinctPorts, temporaryFolder } from './own-servers.ts';

const SET = 'faults';
const DATABASE = 'partner_booking';

/** The files and the password of members that require TLS and authentication. `both`: certificate and key in one. */
export type GuardedSet = { ca: string; both: string; memberKey: string; password: string };

/**
 * Starts a replica set of `count` members, which can be killed and restarted with their data. Elections take about 2 s
 * (MongoDB's default is 10 s). The addresses name a database.
 */
export async function startMongoSet(count: number, guarded?: GuardedSet) {
  const folder = await temporaryFolder();
  const ports = await distinctPorts(count);
  await Promise.all(ports.map((port) => mkdir(path.join(folder, String(port)))));
  const members = ports.map((port) =>
    bareServer(mongodKind, port, [...settings(path.join(folder, String(port))), ...guards(guarded)]),
  );
  await Promise.all(members.map((member) => member.start()));
  const hosts = ports.map((port) => `127.0.0.1:${port}`);
  const signIn = await adminOptions(guarded);
  const command = (host: string, body: Record<string, unknown>) => commandOn(host, signIn, body);
  await command(hosts[0] ?? '', {
    replSetInitiate: {
      _id: SET,
      members: hosts.map((host, _id) => ({ _id, host })),
      settings: { electionTimeoutMillis: 2000, heartbeatIntervalMillis: 500, catchUpTimeoutMillis: 2000 },
    },
  });
  const states = () => Promise.all(hosts.map((host) => stateOf(command(host, { hello: 1 }))));
  const primary = () => eventually('there is a primary', async () => members[(await states()).indexOf('primary')]);
  const untilWhole = () =>
    eventually('the set is whole', async () => {
      const now = await states();
      return now.includes('primary') && now.every((state) => state !== 'none');
    });
  await untilWhole();
  if (guarded) {
    const member = members.indexOf(await primary());
    await makeUsers(hosts[member] ?? '', signIn, guarded.password);
  }
  const onSecondaries = async (failPoint: string) => {
    const now = await states();
    const secondaries = hosts.filter((_host, index) => now[index] === 'secondary');
    const set = async (mode: 'alwaysOn' | 'off') => {
      const body = { configureFailPoint: failPoint, mode };
      await Promise.allSettled(secondaries.map((host) => command(host, body)));
    };
    await set('alwaysOn');
    return () => set('off');
  };
  const uriOf = (user: keyof typeof ROLES) =>
    `mongodb://${guarded ? `${user}:${guarded.password}@` : ''}${hosts.join()}/${DATABASE}?replicaSet=${SET}${guarded ? '&tls=true' : ''}`;
  return {
    uri: uriOf('service'),
    /** Address for a user who may also read the oplog. */
    auditorUri: uriOf('auditor'),
    members,
    /** Waits for the member that takes writes, and returns it. */
    primary,
    /** Makes the primary hand over to another member, as for maintenance; resolves when the set is whole again. */
    stepDown: async () => {
      // The primary refuses until another member has caught up.
      await eventually('the primary hands over', async () => {
        const host = hosts[(await states()).indexOf('primary')] ?? '';
        return command(host, { replSetStepDown: 30, secondaryCatchUpPeriodSecs: 5 });
      });
      await untilWhole();
    },
    /**
     * Stops the secondaries' majority commit point, as can happen for a second after a failover; they still replicate.
     * Resolves with a function that ends this.
     */
    holdBack: () => onSecondaries('disableSnapshotting'),
    /** Stops replication, so that no majority acknowledges later writes. Resolves with a function that ends this. */
    stopReplication: () => onSecondaries('stopReplProducer'),
    /** Waits until every member is up and one takes writes. */
    untilWhole,
    discard: async () => {
      await Promise.all(members.map((member) => member.end()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}
export type MongoSet = Awaited<ReturnType<typeof startMongoSet>>;

function settings(dataPath: string): string[] {
  return [
    ...['--replSet', SET, '--bind_ip', '127.0.0.1', '--dbpath', dataPath],
    ...['--wiredTigerCacheSizeGB', '0.25', '--oplogSize', '256'],
    ...['--setParameter', 'transactionLifetimeLimitSeconds=10', '--setParameter', 'enableTestCommands=1'],
  ];
}

async function stateOf(hello: Promise<Record<string, unknown>>): Promise<'primary' | 'secondary' | 'none'> {
  const state = hello.then(
    (reply) => (reply['isWritablePrimary'] ? 'primary' : reply['secondary'] ? 'secondary' : 'none'),
    () => 'none' as const,
  );
  return Promise.race([state, delay(1000, 'none' as const, { ref: false })]);
}

/** The roles of each user. `service` has the roles that the service needs. */
const ROLES = {
  service: ['readWrite', 'dbAdmin'],
  auditor: ['readWrite', 'dbAdmin', { role: 'read', db: 'local' }],
};

function guards(guarded: GuardedSet | undefined): string[] {
  if (guarded === undefined) return [];
  const { ca, both, memberKey } = guarded;
  return [
    ...['--tlsMode', 'requireTLS', '--tlsCertificateKeyFile', both, '--tlsCAFile', ca],
    ...['--tlsAllowConnectionsWithoutCertificates', '--keyFile', memberKey],
  ];
}

/** Members sign in to their own set with the key that they share. */
async function adminOptions(guarded: GuardedSet | undefined): Promise<mongoose.mongo.MongoClientOptions> {
  if (guarded === undefined) return {};
  const password = await readFile(guarded.memberKey, 'utf8');
  return {
    auth: { username: '__system', password },
    authSource: 'local',
    authMechanism: 'SCRAM-SHA-256',
    tls: true,
    tlsCAFile: guarded.ca,
  };
}

async function makeUsers(host: string, signIn: mongoose.mongo.MongoClientOptions, pwd: string): Promise<void> {
  for (const [user, roles] of Object.entries(ROLES))
    await commandOn(host, signIn, { createUser: user, pwd, roles }, DATABASE);
}

/** Sends a command to one member, in any state. */
async function commandOn(
  host: string,
  signIn: mongoose.mongo.MongoClientOptions,
  body: Record<string, unknown>,
  database = 'admin',
): Promise<Record<string, unknown>> {
  const client = new mongoose.mongo.MongoClient(`mongodb://${host}/?directConnection=true`, {
    ...signIn,
    serverSelectionTimeoutMS: 1000,
  });
  try {
    return await client.db(database).command(body);
  } finally {
    await client.close();
  }
}
