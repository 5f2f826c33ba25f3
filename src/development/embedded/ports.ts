/** The loopback ports of the embedded servers: picked once for a data folder and kept, for the replica set names its own. */

import { createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { readState, writeState } from './data-folder.ts';
import type { LogLine } from './run-command.ts';

const portsFile = 'ports.json';
/** Below the ports that systems hand to outgoing connections, one of which could sit on a kept port at the next start. */
const lowestPort = 20_000;
const highestPort = 31_999;
const leftoverDeadlineMs = 30_000;

/**
 * The folder's port of this name, which is free; picked now and stored when it has none yet. With `mayBeLeftover` it waits
 * up to 30 s for the servers of a run that was killed to end.
 *
 * @throws Error when something else has taken the port
 */
export async function freeKeptPort(
  folder: string,
  name: 'mongo' | 'redis' | 'webhookReceiver',
  mayBeLeftover: boolean,
  log: LogLine,
): Promise<number> {
  const ports = await readState(folder, portsFile);
  const kept = ports[name];
  if (typeof kept !== 'number') {
    const taken = Object.values(ports);
    let port = await pickFreePort();
    while (taken.includes(port)) port = await pickFreePort();
    await writeState(folder, portsFile, { ...ports, [name]: port });
    return port;
  }
  if (await isFree(kept)) return kept;
  if (mayBeLeftover) {
    log(`port ${kept} (${name}): waiting for the server of a run that was killed to end`);
    const deadline = performance.now() + leftoverDeadlineMs;
    while (performance.now() < deadline) {
      if (await isFree(kept)) return kept;
      await wait(250);
    }
  }
  throw new Error(
    `Port ${kept} on 127.0.0.1, which this data folder keeps for ${name}, is taken by another program. ` +
      `Stop that program (find it with: ss -ltnp 'sport = :${kept}'), or start on another folder, which gets ports ` +
      'of its own: DATA_DIR=.data2 npm start',
  );
}

/** A port of 127.0.0.1 that was free a moment ago. */
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
