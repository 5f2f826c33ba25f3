import type { ChildProcess } from 'node:child_process';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { pickFreePort } from '../../src/development/embedded/ports.ts';
import { eventually } from '../product/contents.ts';

type User = { uid?: number; gid?: number };

/** Starts a program that ends with the benchmark. */
export type Start = (file: string, args: readonly string[], env: Record<string, string>, user?: User) => ChildProcess;

export const runToEnd = promisify(execFile);

const READY_TIMEOUT_MS = 60_000;

/** PostgreSQL does not run as root: root starts it as `nobody`. */
const POSTGRES_USER: User = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** Waits until the probe succeeds. @throws Error after a minute */
export async function untilReady(name: string, probe: () => Promise<unknown>): Promise<void> {
  const succeeds = () =>
    probe().then(
      () => true,
      () => false,
    );
  if (!(await eventually(READY_TIMEOUT_MS, succeeds))) throw new Error(`${name} was not ready in a minute`);
}

/** Starts PostgreSQL, durable by its defaults: fsync and synchronous commit. */
export async function startPostgres(bin: string, folder: string, start: Start) {
  const data = path.join(folder, 'postgres');
  await mkdir(data, { mode: 0o700 });
  if (POSTGRES_USER.uid !== undefined) await chown(data, POSTGRES_USER.uid, POSTGRES_USER.uid);
  const port = String(await pickFreePort());
  const init = ['-D', data, '--auth=trust', '--username=outpost', '--encoding=UTF8', '--locale=C'];
  await runToEnd(path.join(bin, 'initdb'), init, { cwd: data, ...POSTGRES_USER });
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'log_min_messages=panic'];
  const args = ['-D', data, '-p', port, ...settings.flatMap((setting) => ['-c', setting])];
  const child = start(path.join(bin, 'postgres'), args, {}, POSTGRES_USER);
  const url = `postgres://outpost@127.0.0.1:${port}/postgres?sslmode=disable`;
  const query = async (sql: string) => (await runToEnd(path.join(bin, 'psql'), [url, '-Atc', sql])).stdout;
  await untilReady('PostgreSQL', () => query('SELECT 1'));
  return { child, url, query };
}

/** Starts RabbitMQ and epmd, Erlang's node registry. An epmd that RabbitMQ itself starts would never end. */
export async function startRabbitmq(bin: string, folder: string, start: Start) {
  const [port, distPort, epmdPort] = [await pickFreePort(), await pickFreePort(), await pickFreePort()];
  start('epmd', ['-port', String(epmdPort), '-address', '127.0.0.1'], {});
  const child = start(path.join(bin, 'rabbitmq-server'), [], {
    HOME: folder,
    ERL_EPMD_PORT: String(epmdPort),
    RABBITMQ_NODENAME: 'bench@localhost',
    RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
    RABBITMQ_NODE_PORT: String(port),
    RABBITMQ_DIST_PORT: String(distPort),
    RABBITMQ_MNESIA_BASE: path.join(folder, 'rabbitmq'),
    RABBITMQ_LOG_BASE: folder,
    // Do not read the configuration of the machine's own server.
    RABBITMQ_CONF_ENV_FILE: path.join(folder, 'none'),
    RABBITMQ_CONFIG_FILE: path.join(folder, 'none'),
    RABBITMQ_ENABLED_PLUGINS_FILE: path.join(folder, 'none'),
    // Makes the start script `exec` the server, which then has the child's process id.
    RABBITMQ_ALLOW_INPUT: 'true',
    RABBITMQ_SERVER_START_ARGS: '-noinput',
  });
  await untilReady('RabbitMQ', async () => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.destroy();
  });
  return { child, url: `amqp://guest:guest@127.0.0.1:${port}` };
}
