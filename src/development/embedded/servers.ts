/** The embedded MongoDB and Redis of `npm start` and of the tests. */

import { mkdtemp, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { lockDataFolder, temporaryParent } from './data-folder.ts';
import { startMongod } from './mongod.ts';
import { keptPort, requireFreePort } from './ports.ts';
import { isAlive } from './processes.ts';
import { startRedis } from './redis.ts';
import { ensureServerCredentials, type ServerCredentials } from './server-credentials.ts';
import type { Environment, LogLine, RunningServer, ServerOptions } from './server-kinds.ts';

const temporaryPrefix = 'partner-booking-servers-';

export type EmbeddedServersOptions = {
  /** Kept over restarts; undefined: a temporary folder that `stop` deletes. */
  dataDir: string | undefined;
  /** The process' environment object itself: mongodb-memory-server reads it too. */
  env: Environment;
  log: LogLine;
  /** Servers that the user brought: not started, their addresses are handed back. */
  external?: { readonly mongodbUri: string | undefined; readonly redisUrl: string | undefined };
  /**
   * The servers of a test run: fail points, and no passwords. Tests reach them through relays, under the name of a database for
   * each suite, and with faults that only an administrator may set; there is nothing in them that is not made up, and they
   * write no file but their own. Default false.
   */
  isForTests?: boolean;
  /** Told, in a sentence, when a server ends that was not asked to. */
  onUnexpectedEnd?: (sentence: string) => void;
};

export type EmbeddedServers = {
  mongodbUri: string;
  redisUrl: string;
  /** Process numbers of those that were started. */
  pids: { readonly mongodb: number | undefined; readonly redis: number | undefined };
  /** Ends Redis, then MongoDB, in order, and gives the folder free. Safe to call twice. */
  stop: () => Promise<void>;
  /** Asks both to end and does not wait; the folder stays locked until this process ends. */
  terminate: () => void;
};

/**
 * Starts both servers on 127.0.0.1 with their files in `dataDir/mongo` and `dataDir/redis`, on ports and with passwords
 * that the folder keeps. Both end when this process dies. One start a process for one folder: restart by process.
 *
 * @throws DataFolderInUseError, PortTakenError, BinaryNotFoundError, or Error with a server's own reason; nothing is
 *   left running then
 */
export async function startEmbeddedServers(options: EmbeddedServersOptions): Promise<EmbeddedServers> {
  const { env, log, external, isForTests = false } = options;
  const folder = await openFolder(options.dataDir);
  const running: RunningServer[] = [];
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopped ??= stopAll(running, folder);
    return stopped;
  };
  const start = async (
    name: 'mongo' | 'redis',
    launch: Launch,
    credentials: ServerCredentials | undefined,
  ): Promise<RunningServer> => {
    const port = await keptPort(folder.path, name);
    await requireFreePort(port, name, folder.wasStale, log);
    const dataPath = path.join(folder.path, name);
    const server = await launch({ dataPath, port, env, log, credentials, testCommands: isForTests });
    running.push(server);
    server.process.once('exit', (code, signal) => {
      if (stopped === undefined)
        options.onUnexpectedEnd?.(
          `The embedded ${name} server stopped unexpectedly (${signal ?? code}); stopping the rest.`,
        );
    });
    return server;
  };
  try {
    const credentials = isForTests ? undefined : await ensureServerCredentials(folder.path);
    const mongodb = external?.mongodbUri ? undefined : await start('mongo', startMongod, credentials);
    const redis = external?.redisUrl ? undefined : await start('redis', startRedis, credentials);
    return {
      mongodbUri: mongodb?.uri ?? external?.mongodbUri ?? '',
      redisUrl: redis?.uri ?? external?.redisUrl ?? '',
      pids: { mongodb: mongodb?.process.pid, redis: redis?.process.pid },
      stop,
      terminate: () => {
        for (const server of running) server.process.kill('SIGTERM');
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Launch = (options: ServerOptions) => Promise<RunningServer>;

type OpenFolder = {
  path: string;
  wasStale: boolean;
  close: () => Promise<void>;
};

async function openFolder(dataDir: string | undefined): Promise<OpenFolder> {
  const folder = path.resolve(dataDir ?? (await makeTemporaryFolder()));
  const lock = await lockDataFolder(folder);
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  return { path: folder, wasStale: lock.wasStale, close: dataDir === undefined ? remove : lock.release };
}

/** A new folder that names this process, after removing those whose process was killed before it could. */
async function makeTemporaryFolder(): Promise<string> {
  const parent = await temporaryParent();
  const names = (await readdir(parent)).filter((name) => name.startsWith(temporaryPrefix));
  for (const name of names) {
    const [pid = ''] = name.slice(temporaryPrefix.length).split('-');
    if (!isAlive(Number(pid))) await rm(path.join(parent, name), { recursive: true, force: true });
  }
  return mkdtemp(path.join(parent, `${temporaryPrefix}${process.pid}-`));
}

/** Last started, first stopped; every one is tried, and the first error is thrown at the end. */
async function stopAll(running: readonly RunningServer[], folder: OpenFolder): Promise<void> {
  const errors: unknown[] = [];
  for (const server of running.toReversed())
    await server.stop().catch((error: unknown) => errors.push(error));
  await folder.close();
  if (errors.length > 0) throw errors[0];
}
