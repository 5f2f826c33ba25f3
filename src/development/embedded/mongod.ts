import { mkdir, writeFile } from 'node:fs/promises';
import { findBinary } from './find-binary.ts';
import { prepareReplicaSet } from './replica-set.store.ts';
import { mongodKind } from './server-kinds.ts';
import { type RunningServer, type ServerOptions, serverUser, startServer } from './server-process.ts';

const database = 'partner_booking';
const replicaSet = 'embedded';

/**
 * Starts mongod on 127.0.0.1 and resolves when it is primary. With `credentials` it always requires them, also for a
 * folder made without; no other user can create a user first.
 * @throws Error if no binary is found, or with mongod's own reason
 */
export async function startMongod(options: ServerOptions): Promise<RunningServer> {
  const { dataPath, port, env, log, credentials } = options;
  const binary = await findBinary(mongodKind, env, log);
  await mkdir(dataPath, { recursive: true, mode: 0o700 });
  const keyFile = `${dataPath}.key`;
  // mongod reads the key only from a file that others cannot read.
  if (credentials) await writeFile(keyFile, `${credentials.mongodbKey}\n`, { mode: 0o600 });
  const command = [
    ...[binary.path, '--port', String(port), '--bind_ip', '127.0.0.1', '--dbpath', dataPath],
    ...['--replSet', replicaSet, '--wiredTigerCacheSizeGB', '0.5'],
    // Otherwise a primary waits 15 s on SIGTERM for other members.
    ...['--setParameter', 'shutdownTimeoutMillisForSignaledShutdown=100'],
    // A killed worker's open transaction keeps its documents locked for this long, by default a minute.
    ...['--setParameter', 'transactionLifetimeLimitSeconds=10'],
    // Otherwise the first program that reaches the port can create a user.
    ...['--setParameter', 'enableLocalhostAuthBypass=0'],
    ...(credentials ? ['--keyFile', keyFile] : testArguments),
  ];
  const server = await startServer(command, port, () =>
    prepareReplicaSet(replicaSet, port, database, credentials),
  ).catch((error: Error) => {
    throw new Error(`mongod did not start on ${dataPath}: ${explain(error.message)}`, { cause: error });
  });
  const user = credentials ? `${serverUser}:${credentials.mongodbPassword}@` : '';
  return { ...server, uri: `mongodb://${user}127.0.0.1:${port}/${database}?replicaSet=${replicaSet}` };
}

const testArguments = [
  ...['--setParameter', 'enableTestCommands=1'],
  // A confirmed read (ADR 0005) waits for the next commit of the journal, by default up to 100 ms.
  ...['--journalCommitInterval', '5'],
];

/** https://www.mongodb.com/docs/manual/reference/exit-codes/ */
function explain(reason: string): string {
  if (!reason.startsWith('it ended (62)')) return reason;
  return (
    'the data files were made by another version of mongod, which this one cannot read. Set MONGOMS_SYSTEM_BINARY to ' +
    `that version, or start on another DATA_DIR.\n${reason}`
  );
}
