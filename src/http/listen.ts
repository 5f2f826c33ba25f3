import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';

export type Listener = { url: string; close: () => Promise<void> };

/** Serves `app`; port 0 picks a free one. `close` stops taking connections and waits for the requests in progress. */
export async function listen(app: Express, host: string, port: number): Promise<Listener> {
  const server = createServer(
    { requestTimeout: 15_000, headersTimeout: 10_000, connectionsCheckingInterval: 1000 },
    app,
  );
  // Longer than the idle time of common load balancers, which must be the ones to close.
  server.keepAliveTimeout = 65_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  const shown = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return {
    url: `http://${shown.includes(':') ? `[${shown}]` : shown}:${address.port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
