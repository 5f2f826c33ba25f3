/** A real mongod as a replica set of one. */

import { mkdir, writeFile } from 'node:fs/promises';
import { findBinary } from './find-binary.ts';
import { prepareReplicaSet } from './replica-set.store.ts';
import { mongodKind } from './server-kinds.ts';
import { type RunningServer, type ServerOptions, serverUser, startServer } from './server-process.ts';

const database = 'partner_booking';
const replicaSet = 'embedded';

/**
 * Starts mongod, bound to 127.0.0.1, and resolves when it is primary. With `credentials` it asks everybody for them, also in
 * a folder that was made without; there is no moment at which another user of this machine could make a user first.
 *
 * @throws Error where no binary is found, or with mongod's own reason
 */
export async function startMongod(options: ServerOptions): Promise<RunningServer> {
  const { dataPath, port, env, log, credentials } = options;
  const binary = await findBinary(mongodKind, env, log);
  await mkdir(dataPath, { recursive: true, mode: 0o700 });
  const keyFile = `${dataPath}.key`;
  // mongod takes the key from a file alone, which others may not read.
  if (credentials) await writeFile(keyFile, `${credentials.mongodbKey}\n`, { mode: 0o600 });
  const command = [
    ...[binary.path, '--port', String(port), '--bind_ip', '127.0.0.1', '--dbpath', dataPath],
    ...['--replSet', replicaSet, '--wiredTigerCacheSizeGB', '0.5'],
    // On SIGTERM a primary otherwise lingers 15 s for the other members, of which there are none.
    ...['--setParameter', 'shutdownTimeoutMillisForSignaledShutdown=100'],
    // A worker that was killed in a transaction leaves it open: what it wrote stays locked for so long, by default a minute.
    ...['--setParameter', 'transactionLifetimeLimitSeconds=10'],
    // Else whoever reaches the port first may make the first user.
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
  // A read that confirms a negative (ADR 0005) waits for the next commit of the journal, by default for up to 100 ms.
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
