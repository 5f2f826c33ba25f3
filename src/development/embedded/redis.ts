/** A real redis-server that persists, run by redis-memory-server. */

import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { RedisMemoryServer } from 'redis-memory-server';
import { findBinary } from './find-binary.ts';
import { type ServerCredentials, serverUser } from './server-credentials.ts';
import { type RunningServer, redisKind, type ServerOptions } from './server-kinds.ts';

/**
 * Starts redis-server in a process group of its own, bound to 127.0.0.1, with an append-only file synced every second
 * and `noeviction`, as BullMQ asks for, and resolves when it accepts connections. With `credentials` nobody else gets in.
 * Nobody at all, tests included, may change how it runs or what files it writes (`commandsAllowed`). It is ended within seconds
 * when this process dies, even by SIGKILL.
 *
 * @throws BinaryNotFoundError, or Error when the server does not start or started on another port
 */
export async function startRedis({
  dataPath,
  port,
  env,
  log,
  credentials,
}: ServerOptions): Promise<RunningServer> {
  const binary = await findBinary(redisKind, env, log);
  await mkdir(dataPath, { recursive: true, mode: 0o700 });
  const server = new RedisMemoryServer({
    binary: { systemBinary: binary.path },
    instance: {
      ip: '127.0.0.1',
      port,
      args: redisArguments(dataPath, await writeUsers(dataPath, credentials)),
    },
    spawn: { detached: true },
  });
  await server.start().catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`redis-server did not start on ${dataPath}, port ${port}: ${reason}`, { cause: error });
  });
  const info = server.getInstanceInfo();
  const redis = info ? info.instance.childProcess : undefined;
  // The library takes another port when the wanted one is taken in the last moment or the start fails once.
  if (!info || !redis?.pid || info.port !== port) {
    await server.stop();
    throw new Error(`redis-server could not be started on port ${port}, though it was free; try again`);
  }
  watchOverRedis(redis.pid);
  return {
    uri: `redis://${credentials ? `${serverUser}:${credentials.redisPassword}@` : ''}127.0.0.1:${port}`,
    process: redis,
    stop: async () => {
      await server.stop();
    },
  };
}

/** The library turns persistence off; later arguments win. */
function redisArguments(dataPath: string, usersFile: string): string[] {
  return [
    ...['--appendonly', 'yes', '--appendfsync', 'everysec', '--dir', dataPath, '--aclfile', usersFile],
    ...['--maxmemory-policy', 'noeviction'],
  ];
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
  const file = `${dataPath}.users`;
  const hash = createHash('sha256')
    .update(credentials?.redisPassword ?? '')
    .digest('hex');
  const allowed = ['~*', '&*', ...commandsAllowed].join(' ');
  const users = credentials
    ? ['user default off', `user ${serverUser} on #${hash} ${allowed}`]
    : [`user default on nopass ${allowed} +keys`];
  await writeFile(file, users.map((line) => `${line}\n`).join(''), { mode: 0o600 });
  return file;
}

/**
 * Runs the library's own watcher once more, in a process group of its own: the one that the library starts gets the
 * terminal's Ctrl-C and exits at it, and from then on nothing would end redis-server if this process were killed.
 */
function watchOverRedis(pid: number): void {
  const script = createRequire(import.meta.url).resolve('redis-memory-server/scripts/redis_killer.js');
  const watcher = fork(script, [String(process.pid), String(pid)], {
    execArgv: [],
    detached: true,
    stdio: 'ignore',
  });
  watcher.disconnect();
  watcher.unref();
}
