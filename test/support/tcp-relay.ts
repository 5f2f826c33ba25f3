import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Forwards connections to local port `firstPort`, and can delay, swallow or end them. Calls `onSent` with the data of
 * clients before forwarding it.
 */
export async function startTcpRelay(firstPort: number, onSent: (chunk: Buffer) => void = () => undefined) {
  let targetPort = firstPort;
  let isSwallowing = false;
  let delayMs = 0;
  const links = new Set<Link>();
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => undefined).on('close', () => void sockets.delete(socket));
  };
  const server = createServer((client) => {
    keep(client);
    if (isSwallowing) return;
    const target = keep(connect(targetPort, '127.0.0.1'));
    const link = { client, target, usedAtMs: performance.now() };
    links.add(link);
    client.on('data', onSent);
    for (const socket of [client, target])
      socket.on('data', () => {
        link.usedAtMs = performance.now();
      });
    client.pipe(delayed(() => delayMs)).pipe(target);
    target.pipe(delayed(() => delayMs)).pipe(client);
    client.on('close', () => {
      links.delete(link);
      target.destroy();
    });
    target.on('close', () => client.destroy());
  });
  const listen = (at: number) =>
    new Promise<void>((resolve) => {
      server.listen(at, '127.0.0.1', resolve);
    });
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    /**
     * Open connections stay open, but carry no data any more, as behind a firewall that has forgotten them. New ones
     * are accepted and carry no data either. `restore` revives none of them.
     */
    swallow: () => {
      isSwallowing = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    /** New connections reach the server again. */
    restore: () => {
      isSwallowing = false;
    },
    /** From now on, delays all data by this time in both directions, in order. */
    delay: (ms: number) => {
      delayMs = ms;
    },
    /** New connections lead to this port; open ones keep theirs. */
    moveTo: (next: number) => {
      targetPort = next;
    },
    /**
     * Connections without data in either direction for `idleMs` stay open, but carry no data any more. Other and new
     * ones work. Returns the number of dead ones.
     */
    forgetIdle: (idleMs: number) => {
      const idle = [...links].filter(({ usedAtMs }) => performance.now() - usedAtMs >= idleMs);
      for (const link of idle) kill(link);
      return idle.length;
    },
    /** Ends the server's side of every connection with a FIN; data that clients send afterwards is rejected. */
    halfClose: () => {
      for (const { client } of links) client.end();
    },
    /** Cuts all connections and refuses new ones. */
    close: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
    /** Listens on its port again. */
    reopen: () => listen(port),
  };
}

export type TcpRelay = Awaited<ReturnType<typeof startTcpRelay>>;

type Link = { client: Socket; target: Socket; usedAtMs: number };

function kill({ client, target }: Link): void {
  for (const socket of [client, target]) socket.unpipe().pause();
}

/** Forwards each chunk in order, after the delay that applied when it came. */
function delayed(delayMs: () => number): Transform {
  let passed = Promise.resolve();
  return new Transform({
    transform(chunk, _encoding, taken) {
      const dueAtMs = performance.now() + delayMs();
      passed = passed.then(async () => {
        const waitMs = dueAtMs - performance.now();
        if (waitMs > 0) await delay(waitMs);
        this.push(chunk);
      });
      taken();
    },
    flush(ended) {
      void passed.then(() => ended());
    },
  });
}
