import type { RequestListener } from 'node:http';
import { createServer, request } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { selfSigned } from '../sender/self-signed.ts';

export type FrontProxy = { port: number; close: () => Promise<void> };

/**
 * What stands in front of a listener in production: it passes requests on with the Host that they name, ends TLS where `tls` says
 * so, with a certificate that nobody trusts, and puts `headers` in the place of those of the responses.
 */
export async function startFrontProxy(
  url: string,
  { tls = false, headers = {} }: { tls?: boolean; headers?: Record<string, string> } = {},
): Promise<FrontProxy> {
  const passOn: RequestListener = (req, res) => {
    const asked = request(url + (req.url ?? ''), { method: req.method, headers: req.headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, { ...answer.headers, ...headers });
      answer.pipe(res);
    });
    asked.on('error', () => res.destroy());
    req.pipe(asked);
  };
  const server = tls ? createTlsServer(selfSigned, passOn) : createServer(passOn);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
