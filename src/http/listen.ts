import type { Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Express } from 'express';

export type Listener = { url: string; close: () => Promise<void> };

/** Both listeners, one after the other, must be through within the 25 s that a process has to stop. */
const FINISH_TIMEOUT_MS = 10_000;

/**
 * Serves `app`; port 0 picks a free one. `close` stops taking connections, ends those on which no request is in progress,
 * and waits up to 10 s for the others to be answered.
 */
export async function listen(app: Express, host: string, port: number): Promise<Listener> {
  const server = createServer(
    { requestTimeout: 15_000, headersTimeout: 10_000, connectionsCheckingInterval: 1000 },
    app,
  );
  // Longer than the idle time of common load balancers, which must be the ones to close.
  server.keepAliveTimeout = 65_000;
  const close = gracefulClose(server);
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

/** Node's own `close` waits 65 s for a client that keeps its connection, and for ever for one that never sent a request. */
function gracefulClose(server: Server): () => Promise<void> {
  const connections = new Map<Socket, ServerResponse | undefined>();
  let isClosing = false;
  server.on('connection', (socket: Socket) => {
    connections.set(socket, undefined);
    socket.once('close', () => connections.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    connections.set(socket, response);
    response.once('close', () => {
      if (connections.has(socket)) connections.set(socket, undefined);
      if (isClosing) socket.destroySoon();
    });
  });
  return () =>
    new Promise((resolve) => {
      isClosing = true;
      const cut = setTimeout(() => server.closeAllConnections(), FINISH_TIMEOUT_MS);
      server.close(() => {
        clearTimeout(cut);
        resolve();
      });
      for (const [socket, response] of connections) {
        if (response === undefined) socket.destroy();
        else if (!response.headersSent) response.setHeader('Connection', 'close');
      }
    });
}
