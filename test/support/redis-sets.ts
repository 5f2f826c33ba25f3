import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Redis } from 'ioredis';
import { findBinary } from '../../src/development/embedded/find-binary.ts';
import { redisKind } from '../../src/development/embedded/server-kinds.ts';
import { eventually } from './eventually.ts';
import { type KeptProcess, keptProcess } from './kept-process.ts';
import { distinctPorts, KEEPS_DATA, temporaryFolder } from './own-servers.ts';
import { startTcpRelay } from './tcp-relay.ts';

/** Servers that require a password and TLS. */
export type Guarded = {
  password: string;
  /** Arguments of redis-server: certificate, key and authority. */
  tls: readonly string[];
  ca: string;
  /** Command that starts a redis-server built with TLS. */
  command: readonly string[];
};

/** Several Redis servers that replace each other. */
export type RedisSet = {
  url: string;
  nodes: KeptProcess[];
  /** The index of the node that takes writes of this key; waits until there is one. */
  masterOf(key: string): Promise<number>;
  /** Sends a command to one node. */
  ask(index: number, command: string, ...args: (string | number)[]): Promise<unknown>;
  discard(): Promise<void>;
};

/** A node that does not respond for this long is considered down. */
const DOWN_AFTER_MS = 1000;
const MASTER = 'mymaster';

/** Starts `count` servers whose data folders survive a kill; `settingsOf`: further arguments by index. */
async function startServers(
  count: number,
  settingsOf: (index: number, ports: readonly number[]) => readonly (string | number)[],
  guarded: Guarded | undefined,
) {
  const folder = await temporaryFolder();
  const ports = await distinctPorts(count);
  const nodes = await Promise.all(
    ports.map(async (port, index) => {
      const dataPath = path.join(folder, String(port));
      await mkdir(dataPath);
      const own = settingsOf(index, ports).map(String);
      const args = ['--bind', '127.0.0.1', '--dir', dataPath, '--save', '', ...KEEPS_DATA, ...own];
      return serverOn(port, args, guarded);
    }),
  );
  await Promise.all(nodes.map((node) => node.start()));
  const clients = ports.map((port) => adminClient(port, guarded));
  const ask: RedisSet['ask'] = async (index, command, ...args) => clients[index]?.call(command, ...args);
  await Promise.all(ports.map((port, index) => eventually(`a Redis on ${port}`, () => ask(index, 'PING'))));
  return {
    ports,
    nodes,
    ask,
    folder,
    discard: async () => {
      for (const client of clients) client.disconnect();
      await Promise.all(nodes.map((node) => node.end()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

type Servers = Awaited<ReturnType<typeof startServers>>;

function serverOn(port: number, args: readonly string[], guarded: Guarded | undefined): KeptProcess {
  return keptProcess(async () => {
    const command = await redisServer(guarded);
    if (guarded === undefined) return [...command, '--port', String(port), ...args];
    const { tls, password } = guarded;
    const listening = ['--port', '0', '--tls-port', String(port), '--tls-replication', 'yes'];
    const secrets = ['--requirepass', password, '--masterauth', password];
    return [...command, ...listening, ...tls, ...secrets, ...args];
  });
}

async function redisServer(guarded: Guarded | undefined): Promise<readonly string[]> {
  return guarded?.command ?? [await findBinary(redisKind, process.env, () => undefined)];
}

function adminClient(port: number, guarded: Guarded | undefined): Redis {
  const client = new Redis(port, '127.0.0.1', {
    maxRetriesPerRequest: 0,
    retryStrategy: () => 50,
    commandTimeout: 1000,
    connectTimeout: 1000,
    ...(guarded && { password: guarded.password, tls: { ca: guarded.ca } }),
  });
  return client.on('error', () => undefined);
}

/** Three sentinels that watch a master with two replicas. A failover takes about 2 s. */
export async function startSentinels(guarded?: Guarded): Promise<RedisSet> {
  const servers = await startServers(
    3,
    (index, ports) => (index === 0 ? [] : ['--replicaof', `127.0.0.1 ${ports[0]}`]),
    guarded,
  );
  const sentinelPorts = await distinctPorts(3);
  const sentinels = await Promise.all(
    sentinelPorts.map(async (port) => {
      const file = path.join(servers.folder, `sentinel-${port}.conf`);
      await writeFile(file, sentinelSettings(port, servers, guarded));
      return keptProcess(async () => [...(await redisServer(guarded)), file, '--sentinel']);
    }),
  );
  await Promise.all(sentinels.map((sentinel) => sentinel.start()));
  const watchers = sentinelPorts.map((port) => adminClient(port, guarded));
  const knowsWholeSet = async (watcher: Redis) => {
    const [master] = (await watcher.call('SENTINEL', 'MASTERS')) as string[][];
    const fields = Object.fromEntries(pairs(master ?? []));
    return fields['num-slaves'] === '2' && fields['num-other-sentinels'] === '2';
  };
  await Promise.all(
    watchers.map((watcher) => eventually('the sentinels know the whole set', () => knowsWholeSet(watcher))),
  );
  const masterAddress = async () =>
    ((await watchers[0]?.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', MASTER)) ?? []) as string[];
  const signIn = guarded ? `:${guarded.password}@` : '';
  const options = guarded ? `?sentinel_password=${guarded.password}` : '';
  const hosts = sentinelPorts.map((port) => `127.0.0.1:${port}`).join();
  return {
    url: `redis${guarded ? 's' : ''}+sentinel://${signIn}${hosts}/${MASTER}${options}`,
    nodes: servers.nodes,
    masterOf: () =>
      eventually('the sentinels name a master that runs', async () => {
        const [, port] = await masterAddress();
        const index = servers.ports.indexOf(Number(port));
        const [role] = (await servers.ask(index, 'ROLE')) as string[];
        return role === 'master' ? index : undefined;
      }),
    ask: servers.ask,
    discard: async () => {
      for (const watcher of watchers) watcher.disconnect();
      await Promise.all(sentinels.map((sentinel) => sentinel.end()));
      await servers.discard();
    },
  };
}

/**
 * A master and its replica behind one address, as at Redis hosting providers. `failOver` swaps their roles and points
 * the address to the new master; open connections stay at the old one.
 */
export async function startBehindOneAddress() {
  const { ports, ask, discard } = await startServers(
    2,
    (index, [master]) => (index === 0 ? [] : ['--replicaof', `127.0.0.1 ${master}`]),
    undefined,
  );
  const [first = 0, second = 0] = ports;
  await eventually('the replica has all data', async () =>
    String(await ask(1, 'INFO', 'replication')).includes('master_link_status:up'),
  );
  const relay = await startTcpRelay(first);
  return {
    uri: `redis://127.0.0.1:${relay.port}`,
    failOver: async () => {
      await ask(1, 'REPLICAOF', 'NO', 'ONE');
      relay.moveTo(second);
      await ask(0, 'REPLICAOF', '127.0.0.1', second);
    },
    discard: async () => {
      await relay.close();
      await discard();
    },
  };
}

function sentinelSettings(port: number, { ports, folder }: Servers, guarded: Guarded | undefined): string {
  const lines = [
    ...['bind 127.0.0.1', `dir ${folder}`, guarded ? 'port 0' : `port ${port}`],
    `sentinel monitor ${MASTER} 127.0.0.1 ${ports[0]} 2`,
    `sentinel down-after-milliseconds ${MASTER} ${DOWN_AFTER_MS}`,
    `sentinel failover-timeout ${MASTER} 10000`,
  ];
  if (guarded) {
    const { password, tls } = guarded;
    lines.push(`tls-port ${port}`, 'tls-replication yes', `requirepass ${password}`);
    lines.push(`sentinel sentinel-pass ${password}`, `sentinel auth-pass ${MASTER} ${password}`);
    lines.push(...pairs(tls).map(([name, value]) => `${name.slice(2)} ${value}`));
  }
  return `${lines.join('\n')}\n`;
}

function pairs(values: readonly string[]): [string, string][] {
  return values.flatMap((value, index): [string, string][] =>
    index % 2 === 0 ? [[value, values[index + 1] ?? '']] : [],
  );
}

const MASTERS = 3;

/** A cluster of three masters with a replica each. A failover takes about 3 s. */
export async function startCluster(guarded?: Guarded): Promise<RedisSet> {
  const busPorts = await distinctPorts(2 * MASTERS);
  const servers = await startServers(
    2 * MASTERS,
    (index) => [
      ...['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1'],
      ...['--cluster-node-timeout', 2 * DOWN_AFTER_MS],
      ...['--cluster-port', busPorts[index] ?? 0, '--cluster-config-file', 'nodes.conf'],
      ...(guarded ? ['--tls-cluster', 'yes'] : []),
    ],
    guarded,
  );
  const { ports, ask } = servers;
  const share = 16_384 / MASTERS;
  const idOf = async (index: number) => String(await ask(index, 'CLUSTER', 'MYID'));
  for (let index = 0; index < MASTERS; index += 1) {
    const [from, to] = [Math.ceil(index * share), Math.ceil((index + 1) * share) - 1];
    await ask(index, 'CLUSTER', 'ADDSLOTSRANGE', from, to);
    await ask(index, 'CLUSTER', 'SET-CONFIG-EPOCH', index + 1);
  }
  for (let index = 1; index < ports.length; index += 1)
    await ask(0, 'CLUSTER', 'MEET', '127.0.0.1', ports[index] ?? 0, busPorts[index] ?? 0);
  for (let index = MASTERS; index < ports.length; index += 1) {
    const master = await idOf(index - MASTERS);
    await eventually('a replica follows its master', () => ask(index, 'CLUSTER', 'REPLICATE', master));
  }
  const isWhole = async (index: number) => {
    const info = String(await ask(index, 'CLUSTER', 'INFO'));
    // Each range of slots lists its start, its end, and the nodes of which this node knows.
    const ranges = (await ask(index, 'CLUSTER', 'SLOTS')) as unknown[][];
    const knownNodes = ranges.reduce((sum, range) => sum + range.length - 2, 0);
    return info.includes('cluster_state:ok') && knownNodes === ports.length;
  };
  for (const index of ports.keys()) await eventually('the cluster is whole', () => isWhole(index));
  const isLinked = async (index: number) =>
    String(await ask(index, 'INFO', 'replication')).includes('master_link_status:up');
  for (let index = MASTERS; index < ports.length; index += 1)
    await eventually('a replica has its data', () => isLinked(index));
  const signIn = guarded ? `:${guarded.password}@` : '';
  const hosts = ports.slice(0, MASTERS).map((port) => `127.0.0.1:${port}`);
  return {
    url: `redis${guarded ? 's' : ''}+cluster://${signIn}${hosts.join()}`,
    nodes: servers.nodes,
    masterOf: (key) =>
      eventually('a node has the slot', async () => {
        for (const candidate of ports.keys()) {
          const hasSlot = await ask(candidate, 'GET', key).then(
            () => true,
            (err: Error) => err.message.startsWith('WRONGTYPE'),
          );
          const [role] = hasSlot ? ((await ask(candidate, 'ROLE')) as string[]) : [];
          if (role === 'master') return candidate;
        }
        return undefined;
      }),
    ask,
    discard: servers.discard,
  };
}
