import type { Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Express } from 'express';
import { ERROR_PAGES } from './error-handler.ts';
import type { Connections, Drain } from './graceful-close.ts';
import { gracefulClose } from './graceful-close.ts';
import { presetPrototypes } from './preset-prototypes.ts';
import { rejectUnreadable } from './unreadable-requests.ts';

export type Listener = {
  url: string;
  /** Ends silent connections at once unless it is told to `drain`, and waits for what is in progress. */
  close: (drain?: Drain) => Promise<void>;
};

export type ListenerLimits = {
  /** How long a connection may be idle between two requests: longer than at the proxies in front, which must be the ones to close it. */
  keepAliveTimeoutMs: number;
  /** A connection beyond is closed at once, before it costs memory. */
  maxConnections: number;
  /** How long a client may take, so that one that is slow on purpose holds nothing for long. */
  headersTimeoutMs: number;
  requestTimeoutMs: number;
  takeResponseTimeoutMs: number;
  checkEveryMs: number;
};

const LIMITS: ListenerLimits = {
  keepAliveTimeoutMs: 66_000,
  maxConnections: 10_000,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 12_000,
  takeResponseTimeoutMs: 10_000,
  checkEveryMs: 1000,
};

/** Request line and headers together; a path with its query has no limit of its own. */
const MAX_HEADER_BYTES = 16 * 1024;

/**
 * Serves `app`; port 0 picks a free one. A client that takes too long over its request, or over taking its response, is cut
 * within 15 s, or by the limits given; what is no request is rejected in the documented form.
 */
export async function listen(
  app: Express,
  host: string,
  port: number,
  some: Partial<ListenerLimits> = {},
): Promise<Listener> {
  const limits = { ...LIMITS, ...some };
  const server = createServer(
    {
      ...presetPrototypes(app, process.versions.v8),
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      connectionsCheckingInterval: limits.checkEveryMs,
      maxHeaderSize: MAX_HEADER_BYTES,
      // The app rejects a request without one, in the documented form.
      requireHostHeader: false,
    },
    app,
  );
  // An unknown expectation is ignored; Node would respond with 417 without a body.
  server.on('checkExpectation', (request, response) => void server.emit('request', request, response));
  // Node waits a second longer than it tells clients in `Keep-Alive`.
  server.keepAliveTimeout = limits.keepAliveTimeoutMs - 1000;
  server.maxConnections = limits.maxConnections;
  const connections = watchConnections(server);
  rejectUnreadable(server, (socket) => connections.get(socket), app.enabled(ERROR_PAGES));
  cutSlowReaders(server, connections, limits);
  const close = gracefulClose(server, connections);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  const shown = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return {
    url: `http://${shown.includes(':') ? `[${shown}]` : shown}:${address.port}`,
    close,
  };
}

function watchConnections(server: Server): Connections {
  const connections: Connections = new Map();
  server.on('connection', (socket: Socket) => {
    connections.set(socket, undefined);
    socket.once('close', () => connections.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    connections.set(socket, response);
    response.once('close', () => {
      if (connections.get(socket) === response) connections.set(socket, undefined);
    });
  });
  return connections;
}

/**
 * Node waits for ever for a client to take what it asked for. A response that is made in one piece has its bytes counted at once, so
 * the client has the time for all of it; one that is sent as it is read, for each next piece.
 */
function cutSlowReaders(
  server: Server,
  connections: Connections,
  { takeResponseTimeoutMs, checkEveryMs }: ListenerLimits,
): void {
  const waiting = new WeakMap<ServerResponse, { bytes: number; since: number }>();
  const check = (): void => {
    const now = performance.now();
    for (const [socket, response] of connections) {
      if (response?.headersSent !== true || response.writableFinished) continue;
      const last = waiting.get(response);
      const bytes = socket.bytesWritten;
      if (last?.bytes !== bytes) waiting.set(response, { bytes, since: now });
      else if (now - last.since >= takeResponseTimeoutMs) socket.destroy();
    }
  };
  const checking = setInterval(check, checkEveryMs).unref();
  server.once('close', () => clearInterval(checking));
}
