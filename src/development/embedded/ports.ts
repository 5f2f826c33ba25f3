/**
 * The loopback ports of the embedded servers, stored in the data folder: the replica set cannot change its own port.
 */

import { createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { readState, writeState } from './data-folder.ts';
import type { LogLine } from './run-command.ts';

const portsFile = 'ports.json';
const lowestPort = 20_000;
/** Below the ports of outgoing connections, which could occupy a stored port at the next start. */
const highestPort = 31_999;
const leftoverDeadlineMs = 15_000;

/**
 * Returns the port that the folder stores under this name; picks and stores one if it is missing. Waits while the port
 * is taken, because the servers of a killed run end within seconds.
 * @throws Error if another program has taken it
 */
export async function ensureFreePort(
  folder: string,
  name: 'mongo' | 'redis' | 'webhookReceiver',
  log: LogLine,
): Promise<number> {
  const ports = await readState(folder, portsFile);
  const stored = ports[name];
  if (typeof stored !== 'number') {
    const taken = Object.values(ports);
    let port = await pickFreePort();
    while (taken.includes(port)) port = await pickFreePort();
    await writeState(folder, portsFile, { ...ports, [name]: port });
    return port;
  }
  if (await isFree(stored)) return stored;
  log(`port ${stored} (${name}) is taken, perhaps by the server of a killed run; waiting for it to end`);
  for (const endsAt = performance.now() + leftoverDeadlineMs; performance.now() < endsAt; await wait(250))
    if (await isFree(stored)) return stored;
  throw new Error(
    `Port ${stored} on 127.0.0.1, which this data folder keeps for ${name}, is taken by another program. ` +
      `Stop that program (find it with: ss -ltnp 'sport = :${stored}'), or start on another folder, which gets ports ` +
      'of its own: DATA_DIR=.data2 npm start',
  );
}

/** A port of 127.0.0.1 that was free just now. */
export async function pickFreePort(): Promise<number> {
  for (;;) {
    const port = lowestPort + Math.floor(Math.random() * (highestPort - lowestPort + 1));
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
