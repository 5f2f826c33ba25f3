import { hash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { redisKind } from './server-kinds.ts';
import {
  type RunningServer,
  type ServerCredentials,
  type ServerOptions,
  serverUser,
  startServer,
} from './server-process.ts';

/**
 * Starts redis-server on 127.0.0.1 as BullMQ requires it: an append-only file synced every second, `noeviction`.
 * Requires `credentials` if given. No client, tests included, can change its configuration or its files
 * (`commandsAllowed`).
 * @throws Error if no binary is found, or with the server's own reason
 */
export async function startRedis(options: ServerOptions): Promise<RunningServer> {
  const { dataPath, port, credentials } = options;
  const server = await startServer(redisKind, options, [
    ...['--bind', '127.0.0.1', '--dir', dataPath],
    ...['--save', '', '--appendonly', 'yes', '--appendfsync', 'everysec'],
    ...['--maxmemory-policy', 'noeviction', '--aclfile', await writeUsers(dataPath, credentials)],
  ]);
  const user = credentials ? `${serverUser}:${credentials.redisPassword}@` : '';
  return { ...server, uri: `redis://${user}127.0.0.1:${port}` };
}

/**
 * The commands that BullMQ and this service need. Commands that configure the server, write files, load code or affect
 * other clients are not allowed.
 */
const commandsAllowed = [
  ...['+@all', '-@admin', '-@dangerous', '+info'],
  ...['setname', 'getname', 'list', 'info', 'id'].map((name) => `+client|${name}`),
];

/** Writes the file of users with the hash of the password. Without a password, for tests, clients may list all keys. */
async function writeUsers(dataPath: string, credentials: ServerCredentials | undefined): Promise<string> {
  const allowed = ['~*', '&*', ...commandsAllowed].join(' ');
  const users = credentials
    ? `user default off\nuser ${serverUser} on #${hash('sha256', credentials.redisPassword)} ${allowed}\n`
    : `user default on nopass ${allowed} +keys\n`;
  const file = `${dataPath}.users`;
  await writeFile(file, users, { mode: 0o600 });
  return file;
}
