import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startMongod } from '../../src/embedded/mongod.ts';
import { startRedis } from '../../src/embedded/redis.ts';
import type { RunningServer, ServerOptions } from '../../src/embedded/server-kinds.ts';

/** A MongoDB or Redis that belongs to one test file, on a port that is known, and refuses, before it is started. */
export type OwnServer = {
  uri: string;
  /** Starts it, empty. */
  start(): Promise<void>;
  /** Sends a signal to the server: SIGKILL ends it, SIGSTOP freezes it with its connections open, SIGCONT wakes it. */
  signal(name: NodeJS.Signals): Promise<void>;
  /** Ends it and deletes its data. */
  discard(): Promise<void>;
};

/** A replica set of one; fail points are allowed. */
export const ownMongod = (): Promise<OwnServer> =>
  ownServer(startMongod, (port) => `mongodb://127.0.0.1:${port}/partner_booking?replicaSet=embedded`);

/** An empty Redis; one that was killed comes back empty too. */
export const ownRedis = (): Promise<OwnServer> =>
  ownServer(startRedis, (port) => `redis://127.0.0.1:${port}`);

async function ownServer(
  launch: (options: ServerOptions) => Promise<RunningServer>,
  uriAt: (port: number) => string,
): Promise<OwnServer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'partner-booking-test-'));
  const port = await freePort();
  let running: RunningServer | undefined;
  let runs = 0;
  return {
    uri: uriAt(port),
    start: async () => {
      runs += 1;
      const dataPath = path.join(folder, `run-${runs}`);
      running = await launch({ dataPath, port, env: process.env, log: () => undefined, testCommands: true });
    },
    signal: async (name) => {
      const server = running?.process;
      const ended = new Promise((resolve) => server?.once('exit', resolve));
      server?.kill(name);
      if (name === 'SIGKILL') await ended;
    },
    discard: async () => {
      running?.process.kill('SIGCONT');
      await running?.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A port on which nothing listens now. */
async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => {
    probe.listen(0, '127.0.0.1', resolve);
  });
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
