/** A real mongod as a replica set of one, run by mongodb-memory-server. */

import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { MongoMemoryServer } from 'mongodb-memory-server';
import { findBinary } from './find-binary.ts';
import { directClient, ensureUser, initiateReplicaSet, memberSignIn } from './replica-set.store.ts';
import { type ServerCredentials, serverUser } from './server-credentials.ts';
import { mongodKind, type RunningServer, type ServerOptions } from './server-kinds.ts';

const launchTimeoutMs = 60_000;
const primaryTimeoutMs = 30_000;
const database = 'partner_booking';
const replicaSet = 'embedded';

/**
 * Starts mongod in a process group of its own, bound to 127.0.0.1, and resolves when it is primary. With `credentials`
 * nobody reads or writes without them, also in a folder that was made without; there is no moment at which another user of
 * this machine could make a user first. It is ended by the library's watcher process within seconds when this process dies,
 * even by SIGKILL. Must not be called twice for one port in one process: the library then takes another.
 *
 * @throws BinaryNotFoundError, or Error with mongod's own reason
 */
export async function startMongod(options: ServerOptions): Promise<RunningServer> {
  const { dataPath, port, env, log, credentials } = options;
  const binary = await findBinary(mongodKind, env, log);
  // The library prefers its variable to the binary that it is given; the finder may have passed over that one.
  if (env[mongodKind.variable]) env[mongodKind.variable] = binary.path;
  await mkdir(dataPath, { recursive: true, mode: 0o700 });
  const server = await MongoMemoryServer.create({
    binary: { systemBinary: binary.path, version: binary.version },
    instance: {
      ...{ port, dbPath: dataPath, replSet: replicaSet, ip: '127.0.0.1', storageEngine: 'wiredTiger' },
      ...{ launchTimeout: launchTimeoutMs, args: mongodArguments(options.testCommands) },
      ...(credentials && { keyfileLocation: await writeKeyFile(dataPath, credentials) }),
    },
    ...(credentials && { auth: { enable: true } }),
    spawn: { detached: true },
  }).catch((error: unknown) => {
    throw new Error(explain(error, dataPath), { cause: error });
  });
  const stop = async (): Promise<void> => {
    await server.stop({ doCleanup: false });
  };
  try {
    return { ...(await makePrimary(server, port, credentials)), stop };
  } catch (error) {
    await stop();
    throw new Error(explain(error, dataPath), { cause: error });
  }
}

async function makePrimary(
  server: MongoMemoryServer,
  port: number,
  credentials: ServerCredentials | undefined,
): Promise<Pick<RunningServer, 'uri' | 'process'>> {
  const instance = server.instanceInfo?.instance;
  if (!instance?.mongodProcess) throw new Error('mongodb-memory-server started no mongod');
  if (server.instanceInfo?.port !== port) throw new Error(`it listens on another port than ${port}`);
  const signIn = credentials ? memberSignIn(credentials.mongodbKey) : {};
  // With which the library asks it to shut down.
  instance.extraConnectionOptions = signIn;
  const isPrimary = once(instance, 'instancePrimary', { signal: AbortSignal.timeout(primaryTimeoutMs) });
  isPrimary.catch(() => undefined);
  const client = directClient(port, signIn);
  try {
    await initiateReplicaSet(client, replicaSet, port);
    if (!instance.isInstancePrimary) await isPrimary;
    if (credentials) await ensureUser(client, database, serverUser, credentials.mongodbPassword);
  } finally {
    await client.close();
  }
  const user = credentials ? `${serverUser}:${credentials.mongodbPassword}@` : '';
  const uri = `mongodb://${user}127.0.0.1:${port}/${database}?replicaSet=${replicaSet}`;
  return { uri, process: instance.mongodProcess };
}

/** Beside the data: mongod takes the key from a file alone, which others may not read. */
async function writeKeyFile(dataPath: string, { mongodbKey }: ServerCredentials): Promise<string> {
  const file = `${dataPath}.key`;
  await writeFile(file, `${mongodbKey}\n`, { mode: 0o600 });
  return file;
}

function mongodArguments(testCommands: boolean): string[] {
  return [
    ...['--wiredTigerCacheSizeGB', '0.5'],
    // On SIGTERM a primary otherwise lingers 15 s for the other members, of which there are none.
    ...['--setParameter', 'shutdownTimeoutMillisForSignaledShutdown=100'],
    // A worker that was killed in a transaction leaves it open: what it wrote stays locked for so long, by default a minute.
    ...['--setParameter', 'transactionLifetimeLimitSeconds=10'],
    // Else whoever reaches the port first may make the first user.
    ...['--setParameter', 'enableLocalhostAuthBypass=0'],
    ...(testCommands ? ['--setParameter', 'enableTestCommands=1'] : []),
    // A read that confirms a negative (ADR 0023) waits for the next commit of the journal, by default for up to 100 ms.
    ...(testCommands ? ['--journalCommitInterval', '5'] : []),
  ];
}

function explain(error: unknown, dataPath: string): string {
  const reason = error instanceof Error ? error.message : String(error);
  // https://www.mongodb.com/docs/manual/reference/exit-codes/
  const hint = /code "62"/.test(reason)
    ? ' Exit code 62: the data files were made by another version of mongod, which this one cannot read. ' +
      'Set MONGOMS_SYSTEM_BINARY to that version, or start on another DATA_DIR.'
    : '';
  return `mongod did not start on ${dataPath}: ${reason}${hint}`;
}
