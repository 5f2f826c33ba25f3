import {
  createServer,
  IncomingMessage,
  type Server,
  type ServerOptions,
  ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Express } from 'express';
import { ERRORS } from '../domain/error-registry.ts';
import type { ErrorCode } from '../domain/errors.ts';
import { newId } from '../platform/ids.ts';
import { ERROR_PAGES, errorBody } from './error-handler.ts';
import { type Connections, type Drain, gracefulClose } from './graceful-close.ts';

export type Listener = {
  url: string;
  /** Waits for requests in progress. Closes silent connections at once, or after the times in `drain`. */
  close: (drain?: Drain) => Promise<void>;
};

export type ListenerLimits = {
  /** How long a connection may be idle: longer than at the proxies in front, which must close it first. */
  keepAliveTimeoutMs: number;
  maxConnections: number;
  /** Time limits that cut off slow clients. */
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

const MAX_HEADER_BYTES = 16 * 1024;

/** Serves `app`; port 0 picks a free one. Cuts slow clients within 15 s, or by the limits given. */
export async function listen(
  app: Express,
  host: string,
  port: number,
  overrides: Partial<ListenerLimits> = {},
): Promise<Listener> {
  const limits = { ...LIMITS, ...overrides };
  const server = createServer(
    {
      ...presetPrototypes(app),
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      connectionsCheckingInterval: limits.checkEveryMs,
      maxHeaderSize: MAX_HEADER_BYTES,
      // The app rejects a missing Host header in the documented form.
      requireHostHeader: false,
    },
    app,
  );
  // Unknown expectations are ignored; Node would respond with 417 without a body.
  server.on('checkExpectation', (request, response) => void server.emit('request', request, response));
  // Node adds a second to this time before it closes the connection.
  server.keepAliveTimeout = limits.keepAliveTimeoutMs - 1000;
  server.maxConnections = limits.maxConnections;
  const connections = watchConnections(server);
  rejectUnreadable(server, connections, app.enabled(ERROR_PAGES));
  cutSlowReaders(server, connections, limits);
  const close = gracefulClose(server, connections);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return { url: `http://${name.includes(':') ? `[${name}]` : name}:${address.port}`, close };
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

/** The errors of Node's parser and time limits; any other error means that the input is not HTTP. */
const REJECTIONS: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'PAYLOAD_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
};

/**
 * Rejects unreadable requests in the documented form and closes the connection. A response to an earlier request is
 * completed first; a request that becomes unreadable after its own response has begun is cut off.
 */
function rejectUnreadable(server: Server, connections: Connections, hasErrorPages: boolean): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const response = connections.get(socket);
    if (!socket.writable || error.code === 'ECONNRESET') socket.destroy();
    else if (response === undefined || (!response.headersSent && !response.req.complete)) {
      const code = REJECTIONS[error.code ?? ''] ?? 'MALFORMED_REQUEST';
      socket.end(rejection(code, hasErrorPages), () => socket.destroy());
    } else if (response.req.complete) response.once('close', () => socket.destroySoon());
    else socket.destroy();
  });
}

function rejection(code: ErrorCode, hasPage: boolean): string {
  const { status, when, remedy } = ERRORS[code];
  const requestId = newId();
  const body = JSON.stringify(errorBody({ code, message: `${when} ${remedy}`, requestId, hasPage }));
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Cache-Control: no-store',
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}

/** Cuts clients that do not read their response, or stop reading it: Node would wait for ever. */
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

/** From this V8 (Node 24) on, changing a prototype is cheap, and `presetPrototypes` would be slower. */
const CHANGES_CHEAPLY_FROM_V8 = 13;

/** Classes with the prototypes of `app`: else Express changes those of every request, which is slow up to Node 23. */
function presetPrototypes(app: Express): Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'> {
  if (Number.parseInt(process.versions.v8, 10) >= CHANGES_CHEAPLY_FROM_V8) return {};
  return {
    IncomingMessage: withPrototype(IncomingMessage, app.request),
    ServerResponse: withPrototype(ServerResponse, app.response),
  };
}

/** `Base` is one of Node's constructors, which are plain functions; the prototype of a class could not be replaced. */
function withPrototype<Base>(Base: Base, prototype: object): Base {
  function Preset(this: object, ...given: unknown[]) {
    Reflect.apply(Base as () => void, this, given);
  }
  Preset.prototype = prototype;
  return Preset as unknown as Base;
}
