import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import path from 'node:path';
import { findBinary } from '../../src/embedded/find-binary.ts';
import { startMongod } from '../../src/embedded/mongod.ts';
import { redisKind } from '../../src/embedded/server-kinds.ts';
import { temporaryParent } from '../../src/embedded/temporary-folder.ts';
import { eventually } from './eventually.ts';

/** A server that belongs to one test file, on a port that is known, and refuses, before it is started. */
export type OwnServer = {
  uri: string;
  start(): Promise<void>;
  /** Ends it and deletes its data. */
  discard(): Promise<void>;
};

/** A Redis can be started again after it was killed. */
export type OwnRedis = OwnServer & {
  /** SIGKILL ends it, SIGSTOP freezes it with its connections open, SIGCONT wakes it. */
  signal(name: NodeJS.Signals): Promise<void>;
};

/** A MongoDB, a replica set of one; fail points are allowed. */
export async function ownMongod(): Promise<OwnServer> {
  const dataPath = await mkdtemp(path.join(await temporaryParent(), 'partner-booking-test-'));
  const port = await freePort();
  let stop = (): Promise<void> => Promise.resolve();
  return {
    uri: `mongodb://127.0.0.1:${port}/partner_booking?replicaSet=embedded`,
    start: async () => {
      const options = { dataPath, port, env: process.env, log: () => undefined, testCommands: true };
      ({ stop } = await startMongod(options));
    },
    discard: async () => {
      await stop();
      await rm(dataPath, { recursive: true, force: true });
    },
  };
}

/** The server's pid comes first, then it runs until standard input ends, which this process' death brings about too. */
const UNTIL_END_OF_INPUT = '"$@" >/dev/null & echo $!; cat >/dev/null; kill -9 $!';

/**
 * `keepsItsData`: with an append-only file, as in production, so that one that was killed has its data when it starts again.
 * redis-memory-server gives a port out once in a process, so this starts the same binary by itself.
 */
export async function ownRedis({ keepsItsData = false } = {}): Promise<OwnRedis> {
  const port = await freePort();
  const dataPath = await mkdtemp(path.join(await temporaryParent(), 'partner-booking-test-'));
  let keeper: ChildProcess | undefined;
  let pid = 0;
  const end = async () => {
    if (keeper === undefined) return;
    const ended = once(keeper, 'exit');
    keeper.stdin?.end();
    await ended;
    keeper = undefined;
  };
  return {
    uri: `redis://127.0.0.1:${port}`,
    start: async () => {
      const { path: binary } = await findBinary(redisKind, process.env, () => undefined);
      const persistence = ['--dir', dataPath, '--save', '', '--appendonly', keepsItsData ? 'yes' : 'no'];
      const settings = ['--port', String(port), '--bind', '127.0.0.1', ...persistence];
      keeper = spawn('sh', ['-c', UNTIL_END_OF_INPUT, 'sh', binary, ...settings], {
        stdio: ['pipe', 'pipe', 'ignore'],
      });
      const [line] = (await once(keeper.stdout as NodeJS.EventEmitter, 'data')) as [Buffer];
      pid = Number(line.toString());
      await eventually('Redis listens', () => accepts(port));
    },
    signal: async (name) => {
      // Without a pid the signal would go to this whole process group.
      if (keeper === undefined) throw new Error('This Redis is not running');
      process.kill(pid, name);
      if (name === 'SIGKILL') await end();
    },
    discard: async () => {
      await end();
      await rm(dataPath, { recursive: true, force: true });
    },
  };
}

/**
 * A port on which nothing listens now. It lies below those that systems give to outgoing connections: a client that keeps
 * trying such a port of its own machine can end up connected to itself, and the server then finds the port taken.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const settle = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => settle(true)).once('error', () => settle(false));
  });
}
