import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as delay, setImmediate as nextImmediate } from 'node:timers/promises';

/** The open connections of a server, each with the response in progress on it. */
export type Connections = Map<Socket, ServerResponse | undefined>;

/** How a listener closes under load. */
export type Drain = {
  /** How long the listener continues to serve connected clients, until load balancers have seen `/readyz` fail. */
  announceMs: number;
  /** How long a connection must then be silent before it is closed. */
  idleMs: number;
};

/** Drains a process that is replaced under load: every request sent gets its response. */
export const DRAIN: Drain = { announceMs: 1000, idleMs: 2000 };
const AT_ONCE: Drain = { announceMs: 0, idleMs: 0 };

/** The time after which requests in progress are cut off, well within the 25 s that a process has to stop. */
const FINISH_TIMEOUT_MS = 15_000;
const CHECK_EVERY_MS = 50;
/** Limits the time for accepting waiting connections: clients that keep connecting must not prevent the stop. */
const ACCEPT_TIMEOUT_MS = 5000;

/**
 * Returns the `close` of a server. It accepts the connections that wait, then every response says `Connection: close`,
 * and silent connections are closed; requests in progress have 15 s. Node's own `close` would end idle connections at
 * once, losing requests on their way.
 */
export function gracefulClose(server: Server, connections: Connections): (drain?: Drain) => Promise<void> {
  let isClosing = false;
  const lastResponses = new WeakMap<Socket, ServerResponse>();
  // Runs before the app, which may respond at once.
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    if (isClosing) setConnectionClose(response, lastResponses.get(socket));
    lastResponses.set(socket, response);
  });
  return async ({ announceMs, idleMs } = AT_ONCE) => {
    const announcedAt = performance.now() + announceMs;
    while (connections.size > 0 && performance.now() < announcedAt) await delay(CHECK_EVERY_MS);
    await untilNoneWaits(server);
    isClosing = true;
    const closed = new Promise((resolve) => server.once('close', resolve));
    // Not the HTTP server's own close, which would end idle connections.
    NetServer.prototype.close.call(server);
    for (const response of connections.values()) if (response !== undefined) setConnectionClose(response);
    const stopChecking = closeSilent(connections, idleMs);
    const cutTimer = setTimeout(() => server.closeAllConnections(), FINISH_TIMEOUT_MS);
    await closed;
    clearTimeout(cutTimer);
    stopChecking();
  };
}

/** Makes the response end its connection. Of pipelined responses, only the last one may do so. */
function setConnectionClose(response: ServerResponse, before?: ServerResponse): void {
  if (before?.headersSent === false) before.removeHeader('Connection');
  if (!response.headersSent) response.setHeader('Connection', 'close');
}

/**
 * Resolves after a turn of the event loop without a new connection. Node accepts one waiting connection a turn;
 * connections that wait when it stops listening are reset, although requests were sent on them.
 */
async function untilNoneWaits(server: Server): Promise<void> {
  const endsAt = performance.now() + ACCEPT_TIMEOUT_MS;
  let acceptedCount = 0;
  const count = () => {
    acceptedCount += 1;
  };
  server.on('connection', count);
  for (let before = -1; acceptedCount !== before && performance.now() < endsAt; ) {
    before = acceptedCount;
    // Wait twice: only the second immediate follows a poll for connections.
    await nextImmediate();
    await nextImmediate();
  }
  server.off('connection', count);
}

/** Closes each connection that has had no response in progress and received nothing for `idleMs`. */
function closeSilent(connections: Connections, idleMs: number): () => void {
  const reads = new WeakMap<Socket, { bytes: number; since: number }>();
  const isSilent = (socket: Socket): boolean => {
    const known = reads.get(socket);
    const isActive = connections.get(socket) !== undefined || known?.bytes !== socket.bytesRead;
    const now = performance.now();
    const since = known === undefined || isActive ? now : known.since;
    reads.set(socket, { bytes: socket.bytesRead, since });
    return now - since >= idleMs && connections.get(socket) === undefined;
  };
  const check = () => {
    const silentNow = [...connections.keys()].filter(isSilent);
    // Check again after the event loop has read its sockets: on a busy process, data may have arrived unread.
    setImmediate(() => {
      for (const socket of silentNow) if (!socket.writableEnded && isSilent(socket)) socket.destroySoon();
    });
  };
  const checking = setInterval(check, CHECK_EVERY_MS);
  check();
  return () => clearInterval(checking);
}
