import { writeFile } from 'node:fs/promises';
import { prepareReplicaSet } from './replica-set.store.ts';
import { mongodKind } from './server-kinds.ts';
import { type RunningServer, type ServerOptions, serverUser, startServer } from './server-process.ts';

const database = 'partner_booking';
const replicaSet = 'embedded';

/**
 * Starts mongod on 127.0.0.1 and resolves when it is primary. With `credentials`, mongod requires them from its start,
 * even on data made without credentials, so no other program can create a database user first.
 * @throws Error if no binary is found, or with mongod's own reason
 */
export async function startMongod(options: ServerOptions): Promise<RunningServer> {
  const { dataPath, port, credentials } = options;
  const keyFile = `${dataPath}.key`;
  // mongod reads the key only from a file that others cannot read.
  if (credentials) await writeFile(keyFile, `${credentials.mongodbKey}\n`, { mode: 0o600 });
  const args = [
    ...['--bind_ip', '127.0.0.1', '--dbpath', dataPath, '--replSet', replicaSet, '--wiredTigerCacheSizeGB', '0.5'],
    // Otherwise a primary waits 15 s on SIGTERM for other members.
    ...['--setParameter', 'shutdownTimeoutMillisForSignaledShutdown=100'],
    // A killed worker's open transaction keeps its documents locked for this long, by default a minute.
    ...['--setParameter', 'transactionLifetimeLimitSeconds=10'],
    // Otherwise the first program that reaches the port can create a user.
    ...['--setParameter', 'enableLocalhostAuthBypass=0'],
    ...(credentials ? ['--keyFile', keyFile] : testArguments),
  ];
  const server = await startServer(mongodKind, options, args, () =>
    prepareReplicaSet(replicaSet, port, database, credentials),
  );
  const user = credentials ? `${serverUser}:${credentials.mongodbPassword}@` : '';
  return { ...server, uri: `mongodb://${user}127.0.0.1:${port}/${database}?replicaSet=${replicaSet}` };
}

const testArguments = [
  ...['--setParameter', 'enableTestCommands=1'],
  // A confirmed read (ADR 0005) waits for the next commit of the journal, by default up to 100 ms.
  ...['--journalCommitInterval', '5'],
];
