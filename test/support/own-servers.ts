import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { temporaryParent } from '../../src/development/embedded/data-folder.ts';
import { findBinary } from '../../src/development/embedded/find-binary.ts';
import { startMongod } from '../../src/development/embedded/mongod.ts';
import { pickFreePort } from '../../src/development/embedded/ports.ts';
import { mongodKind, redisKind, type ServerKind } from '../../src/development/embedded/server-kinds.ts';
import { accepts } from '../../src/development/embedded/server-process.ts';
import { eventually } from './eventually.ts';
import { type KeptProcess, keptProcess } from './kept-process.ts';

/**
 * A MongoDB replica set with one member for one test file; fail points are allowed. Its port is fixed before it starts,
 * and refuses connections until then.
 */
export async function ownMongod() {
  const dataPath = await temporaryFolder();
  const port = await freePort();
  let stop = (): Promise<void> => Promise.resolve();
  return {
    uri: `mongodb://127.0.0.1:${port}/partner_booking?replicaSet=embedded`,
    start: async () => {
      ({ stop } = await startMongod({ dataPath, port, env: process.env, log: () => undefined }));
    },
    /** Stops it and deletes its data. */
    discard: async () => {
      await stop();
      await rm(dataPath, { recursive: true, force: true });
    },
  };
}

export type OwnServer = Awaited<ReturnType<typeof ownMongod>>;

/** Settings with which Redis keeps its data when killed, as in production. */
export const KEEPS_DATA = ['--appendonly', 'yes', '--appendfsync', 'everysec', '--maxmemory-policy', 'noeviction'];

/** A Redis that can be restarted after a kill. `settings`: its arguments; without `KEEPS_DATA` it then has no data. */
export async function ownRedis(settings: readonly string[] = []) {
  const own = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const { port, ...server } = await inOwnFolder(redisKind, (folder) => [...own, '--dir', folder, ...settings]);
  return { ...server, uri: `redis://127.0.0.1:${port}` };
}

export type OwnRedis = Awaited<ReturnType<typeof ownRedis>>;

/** A mongod without a replica set, unless `settings` (its arguments) name one. */
export async function bareMongod(settings: readonly string[] = []) {
  const own = ['--bind_ip', '127.0.0.1', '--wiredTigerCacheSizeGB', '0.25'];
  const { port, ...server } = await inOwnFolder(mongodKind, (folder) => [...own, '--dbpath', folder, ...settings]);
  return { ...server, uri: `mongodb://127.0.0.1:${port}/partner_booking` };
}

/** A server on a free port, with a data folder that is deleted with it. */
async function inOwnFolder(kind: ServerKind, argsFor: (folder: string) => readonly string[]) {
  const [port, folder] = [await freePort(), await temporaryFolder()];
  const { start, signal, end } = bareServer(kind, port, argsFor(folder));
  const discard = async () => {
    await end();
    await rm(folder, { recursive: true, force: true });
  };
  return { port, start, signal, discard };
}

/** A server that can be killed and restarted; `start` resolves when it listens. */
export function bareServer(kind: ServerKind, port: number, args: readonly string[]): KeptProcess {
  const server = keptProcess(async () => {
    const binary = await findBinary(kind, process.env, () => undefined);
    return [binary, '--port', String(port), ...args];
  });
  return {
    ...server,
    start: async () => {
      await server.start();
      await eventually(`${kind.name} listens`, () => accepts(port));
    },
  };
}

/** A data folder for a server of one test file. */
export async function temporaryFolder(): Promise<string> {
  return mkdtemp(path.join(await temporaryParent(), 'partner-booking-test-'));
}

/**
 * A port on which nothing listens now, below the range of outgoing connections. A client that keeps trying a local port
 * in that range can connect to itself, and then the server cannot use the port.
 */
export const freePort = pickFreePort;

export async function distinctPorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort());
  return [...ports];
}
