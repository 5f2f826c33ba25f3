import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';

/** An HTTP server on a free local port, or with `tls` an HTTPS server; `respond` handles every request. */
export async function startStubServer(respond: RequestListener, tls?: ServerOptions) {
  const server = tls === undefined ? createServer(respond) : createTlsServer(tls, respond);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http${tls === undefined ? '' : 's'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
