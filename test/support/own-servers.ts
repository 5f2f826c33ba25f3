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

/** A server that belongs to one test file, on a port that is known, and refuses, before it is started. */
export type OwnServer = {
  uri: string;
  start(): Promise<void>;
  /** Ends it and deletes its data. */
  discard(): Promise<void>;
};

/** A Redis can be started again after it was killed: empty, unless it keeps its data. */
export type OwnRedis = OwnServer & {
  /** SIGKILL ends it, SIGSTOP freezes it with its connections open, SIGCONT wakes it. */
  signal(name: NodeJS.Signals): Promise<void>;
};

/** A MongoDB, a replica set of one; fail points are allowed. */
export async function ownMongod(): Promise<OwnServer> {
  const dataPath = await temporaryFolder();
  const port = await freePort();
  let stop = (): Promise<void> => Promise.resolve();
  return {
    uri: `mongodb://127.0.0.1:${port}/partner_booking?replicaSet=embedded`,
    start: async () => {
      ({ stop } = await startMongod({ dataPath, port, env: process.env, log: () => undefined }));
    },
    discard: async () => {
      await stop();
      await rm(dataPath, { recursive: true, force: true });
    },
  };
}

/** Settings with which Redis is back with its data after it was killed, as in production. */
export const KEEPS_DATA = ['--appendonly', 'yes', '--appendfsync', 'everysec', '--maxmemory-policy', 'noeviction'];

/** `settings` are arguments of redis-server; by default it keeps nothing. */
export async function ownRedis(settings: readonly string[] = []): Promise<OwnRedis> {
  const own = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const { port, ...server } = await inOwnFolder(redisKind, (folder) => [...own, '--dir', folder, ...settings]);
  return { ...server, uri: `redis://127.0.0.1:${port}` };
}

/** A mongod as it starts without any setting: of no replica set, unless `settings` (its arguments) say otherwise. */
export async function bareMongod(settings: readonly string[] = []): Promise<OwnServer> {
  const own = ['--bind_ip', '127.0.0.1', '--wiredTigerCacheSizeGB', '0.25'];
  const { port, ...server } = await inOwnFolder(mongodKind, (folder) => [...own, '--dbpath', folder, ...settings]);
  return { ...server, uri: `mongodb://127.0.0.1:${port}/partner_booking` };
}

/** A server on a free port with a folder for its data, which goes with it. */
async function inOwnFolder(kind: ServerKind, argsFor: (folder: string) => readonly string[]) {
  const [port, folder] = [await freePort(), await temporaryFolder()];
  const { start, signal, end } = bareServer(kind, port, argsFor(folder));
  const discard = async () => {
    await end();
    await rm(folder, { recursive: true, force: true });
  };
  return { port, start, signal, discard };
}

/** A server that can be killed and started again; `start` resolves when it listens. */
export function bareServer(kind: ServerKind, port: number, args: readonly string[]): KeptProcess {
  const server = keptProcess(async () => {
    const { path: binary } = await findBinary(kind, process.env, () => undefined);
    return [binary, '--port', String(port), ...args];
  });
  return {
    ...server,
    start: async () => {
      await server.start();
      await eventually(`${kind.name} listens`, () => accepts(port), 60_000);
    },
  };
}

/** A folder for the data of a server that one test file has for itself. */
export async function temporaryFolder(): Promise<string> {
  return mkdtemp(path.join(await temporaryParent(), 'partner-booking-test-'));
}

/**
 * A port on which nothing listens now. It lies below those that systems give to outgoing connections: a client that keeps
 * trying such a port of its own machine can end up connected to itself, and the server then finds the port taken.
 */
export const freePort = pickFreePort;

export async function distinctPorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort());
  return [...ports];
}
