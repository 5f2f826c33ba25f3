/** The loopback ports of the embedded servers: picked once for a data folder and kept, for the replica set names its own. */

import { createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { readState, writeState } from './data-folder.ts';
import type { LogLine } from './server-kinds.ts';

const portsFile = 'ports.json';
/** Below the ports that systems hand to outgoing connections, one of which could sit on a kept port at the next start. */
const lowestPort = 20_000;
const highestPort = 31_999;
const leftoverDeadlineMs = 30_000;

export type PortName = 'mongo' | 'redis' | 'webhookReceiver';

/** A kept port is taken by something else. */
class PortTakenError extends Error {
  override readonly name = 'PortTakenError';
}

/** The folder's port of this name; picked now, free, and stored when it has none yet. */
export async function keptPort(folder: string, name: PortName): Promise<number> {
  const ports = await readState(folder, portsFile);
  const kept = ports[name];
  if (typeof kept === 'number') return kept;
  const taken = Object.values(ports);
  let port = await pickFreePort();
  while (taken.includes(port)) port = await pickFreePort();
  await writeState(folder, portsFile, { ...ports, [name]: port });
  return port;
}

/**
 * Resolves when the port is free; with `mayBeLeftover` it waits up to 30 s for the servers of a run that was killed to end.
 *
 * @throws PortTakenError
 */
export async function requireFreePort(
  port: number,
  name: PortName,
  mayBeLeftover: boolean,
  log: LogLine,
): Promise<void> {
  if (await isFree(port)) return;
  if (mayBeLeftover) {
    log(`port ${port} (${name}): waiting for the server of a run that was killed to end`);
    const deadline = performance.now() + leftoverDeadlineMs;
    while (performance.now() < deadline) {
      if (await isFree(port)) return;
      await wait(250);
    }
  }
  throw new PortTakenError(
    `Port ${port} on 127.0.0.1, which this data folder keeps for ${name}, is taken by another program. ` +
      `Stop that program (find it with: ss -ltnp 'sport = :${port}'), or start on another folder, which gets ports ` +
      'of its own: DATA_DIR=.data2 npm start',
  );
}

/**
 * Looks at the ports that the API will listen on, for a message that says what to do. `wanted` has the value of each variable
 * and where it is listened on; 0 is always free, and what is not a port is left to the configuration's check.
 *
 * @throws Error when one is taken
 */
export async function requireFreeApiPorts(
  wanted: Record<string, { port: number; host: string }>,
): Promise<void> {
  for (const [variable, { port, host }] of Object.entries(wanted)) {
    const isPort = Number.isInteger(port) && port > 0 && port < 65_536;
    if (!isPort || (await isFree(port, host))) continue;
    throw new Error(
      `Port ${port} is taken by another program. Choose another with ${variable}: for example ` +
        `${variable}=0 npm start, which picks a free one.`,
    );
  }
}

/** A port that was free a moment ago. */
export async function pickFreePort(): Promise<number> {
  for (;;) {
    const port = lowestPort + Math.floor(Math.random() * (highestPort - lowestPort + 1));
    if (await isFree(port)) return port;
  }
}

function isFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, host, () => probe.close(() => resolve(true)));
  });
}
