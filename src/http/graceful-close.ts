import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Server as NetServer } from 'node:net';
import { setImmediate as nextImmediate } from 'node:timers/promises';

/** The connections of a server, each with the response that is under way on it. */
export type Connections = Map<Socket, ServerResponse | undefined>;

/** How a listener closes under load. */
export type Drain = {
  /** How long it goes on as before while anybody is connected, so that who asks `/readyz` sends no more. */
  announceMs: number;
  /** How long a connection must then have been silent before it is closed. */
  idleMs: number;
};

/** For a process that is replaced under load: no request that was sent is left without its response. */
export const DRAIN: Drain = { announceMs: 1000, idleMs: 2000 };
const AT_ONCE: Drain = { announceMs: 0, idleMs: 0 };

/** From then on requests in progress are cut, so that all of it is over well within the 25 s that a process has to stop. */
const FINISH_TIMEOUT_MS = 15_000;
const CHECK_EVERY_MS = 50;
/** For taking the connections that the system holds; their clients, who go on connecting, must not keep the process. */
const TAKE_TIMEOUT_MS = 5000;

/**
 * Makes the `close` of a server. It takes the connections that wait for it and no more, then every response says
 * `Connection: close`, and a connection on which nothing comes for a while is closed; what is in progress has 15 s. A client that
 * sends its next request within that while learns from its response to open another connection; Node's own `close` ends idle
 * connections at once, under requests on their way.
 */
export function gracefulClose(server: Server, connections: Connections): (drain?: Drain) => Promise<void> {
  let isClosing = false;
  const latest = new WeakMap<Socket, ServerResponse>();
  // Before the app, which may respond at once.
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    if (isClosing) setConnectionClose(response, latest.get(socket));
    latest.set(socket, response);
  });
  return async ({ announceMs, idleMs } = AT_ONCE) => {
    await untilAlone(connections, announceMs);
    await untilNoneWaits(server);
    isClosing = true;
    const closed = new Promise((resolve) => server.once('close', resolve));
    // Not the HTTP server's own, which would end idle connections.
    NetServer.prototype.close.call(server);
    for (const response of connections.values()) if (response !== undefined) setConnectionClose(response);
    const stopChecking = closeSilent(connections, idleMs);
    const cut = setTimeout(() => server.closeAllConnections(), FINISH_TIMEOUT_MS);
    await closed;
    clearTimeout(cut);
    stopChecking();
  };
}

/** Of requests that came one behind the other without waiting, only the last response may end the connection. */
function setConnectionClose(response: ServerResponse, before?: ServerResponse): void {
  if (before?.headersSent === false) before.removeHeader('Connection');
  if (!response.headersSent) response.setHeader('Connection', 'close');
}

/** Resolves when nobody is connected any more, or this time has passed. */
function untilAlone(connections: Connections, forMs: number): Promise<void> {
  const endsAt = performance.now() + forMs;
  return new Promise((resolve) => {
    const check = () => {
      if (connections.size === 0 || performance.now() >= endsAt) resolve();
      else setTimeout(check, CHECK_EVERY_MS);
    };
    check();
  });
}

/**
 * Resolves after a turn of the event loop that brought no connection. Node takes one each turn of those that the system has made for
 * it, and those that wait when it stops listening are reset, though a request was sent on them.
 */
async function untilNoneWaits(server: Server): Promise<void> {
  const endsAt = performance.now() + TAKE_TIMEOUT_MS;
  let taken = 0;
  const count = () => {
    taken += 1;
  };
  server.on('connection', count);
  for (let before = -1; taken !== before && performance.now() < endsAt; ) {
    before = taken;
    // The next immediate but one comes after the system was asked.
    await nextImmediate();
    await nextImmediate();
  }
  server.off('connection', count);
}

/** Closes each connection once no response has been under way on it and no byte has come for so long. */
function closeSilent(connections: Connections, idleMs: number): () => void {
  const silent = new WeakMap<Socket, { bytes: number; since: number }>();
  const isSilent = (socket: Socket): boolean => {
    const known = silent.get(socket);
    const isActive = connections.get(socket) !== undefined || known?.bytes !== socket.bytesRead;
    const now = performance.now();
    const since = known === undefined || isActive ? now : known.since;
    silent.set(socket, { bytes: socket.bytesRead, since });
    return now - since >= idleMs && connections.get(socket) === undefined;
  };
  const check = () => {
    const over = [...connections.keys()].filter(isSilent);
    // What has arrived meanwhile, in a process too busy to look, is read between a timer and an immediate.
    setImmediate(() => {
      for (const socket of over) if (!socket.writableEnded && isSilent(socket)) socket.destroySoon();
    });
  };
  const checking = setInterval(check, CHECK_EVERY_MS);
  check();
  return () => clearInterval(checking);
}
