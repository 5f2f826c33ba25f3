import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { ensureTexts, lockDataFolder, temporaryParent } from './data-folder.ts';
import { startMongod } from './mongod.ts';
import { ensureFreePort } from './ports.ts';
import { isAlive } from './processes.ts';
import { startRedis } from './redis.ts';
import type { Environment, LogLine } from './run-command.ts';
import type { RunningServer, ServerCredentials } from './server-process.ts';

const LAUNCHERS = { mongo: startMongod, redis: startRedis };
const temporaryPrefix = 'partner-booking-servers-';

type Options = {
  /** A folder that survives restarts; undefined: a temporary folder that `stop` deletes. */
  dataDir: string | undefined;
  env: Environment;
  log: LogLine;
  /** Servers provided by the user: they are not started, and their addresses are returned. */
  external?: { readonly mongodbUri: string | undefined; readonly redisUrl: string | undefined };
  /**
   * Enables fail points and omits passwords for tests, which reach the servers through relays and inject faults as an
   * administrator. The servers contain test data only. Default false.
   */
  isForTests?: boolean;
  onUnexpectedEnd?: (sentence: string) => void;
};

export type EmbeddedServers = Awaited<ReturnType<typeof startEmbeddedServers>>;

/**
 * Starts both servers on 127.0.0.1 with their files in `dataDir/mongo` and `dataDir/redis`, and with ports and
 * passwords kept in the folder. Both end when this process dies, even by SIGKILL.
 * @throws Error with the obstacle; nothing is left running
 */
export async function startEmbeddedServers(options: Options) {
  const { dataDir, env, log, external } = options;
  const folder = path.resolve(dataDir ?? (await makeTemporaryFolder()));
  const release = await lockDataFolder(folder);
  const running: RunningServer[] = [];
  let stopped: Promise<void> | undefined;
  const stopAll = async (): Promise<void> => {
    for (const server of running.toReversed()) await server.stop();
    if (dataDir === undefined) await rm(folder, { recursive: true, force: true });
    else await release();
  };
  const stop = (): Promise<void> => (stopped ??= stopAll());
  const start = async (name: keyof typeof LAUNCHERS, credentials: ServerCredentials | undefined) => {
    const port = await ensureFreePort(folder, name, log);
    const server = await LAUNCHERS[name]({ dataPath: path.join(folder, name), port, env, log, credentials });
    running.push(server);
    server.process.once('exit', (code, signal) => {
      if (stopped === undefined)
        options.onUnexpectedEnd?.(`The embedded ${name} server stopped unexpectedly (${signal ?? code}).`);
    });
    return server;
  };
  try {
    const credentials = options.isForTests ? undefined : await ensureServerCredentials(folder);
    const mongodb = external?.mongodbUri ? undefined : await start('mongo', credentials);
    const redis = external?.redisUrl ? undefined : await start('redis', credentials);
    return {
      mongodbUri: mongodb?.uri ?? external?.mongodbUri ?? '',
      redisUrl: redis?.uri ?? external?.redisUrl ?? '',
      pids: { mongodb: mongodb?.process.pid, redis: redis?.process.pid },
      /** Stops Redis, then MongoDB, and releases the folder. Safe to call twice. */
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function ensureServerCredentials(folder: string): Promise<ServerCredentials> {
  return ensureTexts(folder, 'server-credentials.json', {
    mongodbPassword: () => randomBytes(32).toString('base64url'),
    mongodbKey: () => randomBytes(48).toString('base64'),
    redisPassword: () => randomBytes(32).toString('base64url'),
  });
}

/** A new folder named after this process; removes the folders of killed processes. */
async function makeTemporaryFolder(): Promise<string> {
  const parent = await temporaryParent();
  const names = (await readdir(parent)).filter((name) => name.startsWith(temporaryPrefix));
  for (const name of names) {
    const [pid = ''] = name.slice(temporaryPrefix.length).split('-');
    if (!isAlive(Number(pid))) await rm(path.join(parent, name), { recursive: true, force: true });
  }
  return mkdtemp(path.join(parent, `${temporaryPrefix}${process.pid}-`));
}
