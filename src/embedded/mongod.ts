/** A real mongod as a replica set of one, run by mongodb-memory-server. */

import { mkdir } from 'node:fs/promises';
import { MongoMemoryReplSet } from 'mongodb-memory-server';
import { findBinary } from './find-binary.ts';
import { mongodKind, type RunningServer, type ServerOptions } from './server-kinds.ts';

const launchTimeoutMs = 60_000;
const database = 'partner_booking';

/**
 * Starts mongod in a process group of its own, bound to 127.0.0.1, and resolves when it is primary. It is ended by the
 * library's watcher process within seconds when this process dies, even by SIGKILL. Must not be called twice for one
 * folder in one process: the library then finds no primary.
 *
 * @throws BinaryNotFoundError, or Error with mongod's own reason
 */
export async function startMongod(options: ServerOptions): Promise<RunningServer> {
  const { dataPath, port, env, log } = options;
  const binary = await findBinary(mongodKind, env, log);
  // The library prefers its variable to the binary that it is given; the finder may have passed over that one.
  if (env[mongodKind.variable]) env[mongodKind.variable] = binary.path;
  await mkdir(dataPath, { recursive: true });
  const replicaSet = await MongoMemoryReplSet.create({
    binary: { systemBinary: binary.path, version: binary.version },
    instanceOpts: [{ port, dbPath: dataPath, storageEngine: 'wiredTiger', launchTimeout: launchTimeoutMs }],
    replSet: {
      name: 'embedded',
      storageEngine: 'wiredTiger',
      ip: '127.0.0.1',
      args: mongodArguments(options.testCommands),
      spawn: { detached: true },
    },
  }).catch((error: unknown) => {
    throw new Error(explain(error, dataPath), { cause: error });
  });
  const mongod = replicaSet.servers[0]?.instanceInfo?.instance.mongodProcess;
  if (!mongod) throw new Error('mongodb-memory-server started no mongod');
  return {
    uri: replicaSet.getUri(database),
    process: mongod,
    stop: async () => {
      await replicaSet.stop({ doCleanup: false });
    },
  };
}

function mongodArguments(testCommands: boolean): string[] {
  return [
    ...['--wiredTigerCacheSizeGB', '0.5'],
    // On SIGTERM a primary otherwise lingers 15 s for the other members, of which there are none.
    ...['--setParameter', 'shutdownTimeoutMillisForSignaledShutdown=100'],
    // A worker that was killed in a transaction leaves it open: what it wrote stays locked for so long, by default a minute.
    ...['--setParameter', 'transactionLifetimeLimitSeconds=10'],
    ...(testCommands ? ['--setParameter', 'enableTestCommands=1'] : []),
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
