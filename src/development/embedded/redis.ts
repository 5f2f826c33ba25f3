/** A real redis-server that persists. */

import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { findBinary } from './find-binary.ts';
import { redisKind } from './server-kinds.ts';
import {
  type RunningServer,
  type ServerCredentials,
  type ServerOptions,
  serverUser,
  startServer,
} from './server-process.ts';

/**
 * Starts redis-server, bound to 127.0.0.1, with an append-only file synced every second and `noeviction`, as BullMQ asks
 * for, and resolves when it accepts connections. With `credentials` it asks everybody for them.
 * Nobody at all, tests included, may change how it runs or what files it writes (`commandsAllowed`).
 *
 * @throws Error where no binary is found, or with the server's own reason
 */
export async function startRedis(options: ServerOptions): Promise<RunningServer> {
  const { dataPath, port, env, log, credentials } = options;
  const binary = await findBinary(redisKind, env, log);
  await mkdir(dataPath, { recursive: true, mode: 0o700 });
  const command = [
    ...[binary.path, '--port', String(port), '--bind', '127.0.0.1', '--dir', dataPath],
    ...['--save', '', '--appendonly', 'yes', '--appendfsync', 'everysec'],
    ...['--maxmemory-policy', 'noeviction', '--aclfile', await writeUsers(dataPath, credentials)],
  ];
  const server = await startServer(command, port).catch((error: Error) => {
    throw new Error(`redis-server did not start on ${dataPath}: ${error.message}`, { cause: error });
  });
  const user = credentials ? `${serverUser}:${credentials.redisPassword}@` : '';
  return { ...server, uri: `redis://${user}127.0.0.1:${port}` };
}

/**
 * All that BullMQ and this service use, and nothing that changes how the server runs, writes files, loads code, follows
 * another server, or shows or ends what others do: CONFIG, DEBUG, MODULE, REPLICAOF, SAVE, MONITOR, SHUTDOWN, FLUSHALL, ACL ….
 */
const commandsAllowed = [
  ...['+@all', '-@admin', '-@dangerous', '+info'],
  ...['setname', 'getname', 'list', 'info', 'id'].map((name) => `+client|${name}`),
];

/** Writes the file of users, which holds no password but its hash; tests use the server without one, and look at all keys. */
async function writeUsers(dataPath: string, credentials: ServerCredentials | undefined): Promise<string> {
  const allowed = ['~*', '&*', ...commandsAllowed].join(' ');
  const hash = createHash('sha256')
    .update(credentials?.redisPassword ?? '')
    .digest('hex');
  const users = credentials
    ? `user default off\nuser ${serverUser} on #${hash} ${allowed}\n`
    : `user default on nopass ${allowed} +keys\n`;
  const file = `${dataPath}.users`;
  await writeFile(file, users, { mode: 0o600 });
  return file;
}
