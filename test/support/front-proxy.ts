import { createServer, type RequestListener, request } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { selfSigned } from '../sender/self-signed.ts';

type Options = { tls?: boolean; headers?: Record<string, string>; change?: (body: unknown) => unknown };

export type FrontProxy = { port: number; close: () => Promise<void> };

/**
 * A reverse proxy that keeps the Host header, as in production. `tls`: terminates TLS with an untrusted certificate.
 * `headers`: override response headers. `change`: replaces JSON bodies.
 */
export async function startFrontProxy(
  url: string,
  { tls = false, headers = {}, change }: Options = {},
): Promise<FrontProxy> {
  const passOn: RequestListener = (req, res) => {
    const encoding = change === undefined ? {} : { 'accept-encoding': 'identity' };
    const options = { method: req.method, headers: { ...req.headers, ...encoding } };
    const forwarded = request(url + (req.url ?? ''), options, (answer) => {
      const { statusCode = 502 } = answer;
      if (change === undefined) {
        res.writeHead(statusCode, { ...answer.headers, ...headers });
        answer.pipe(res);
        return;
      }
      res.writeHead(statusCode, { 'content-type': 'application/json', ...headers });
      void json(answer).then((body) => res.end(JSON.stringify(change(body))));
    });
    forwarded.on('error', () => res.destroy());
    req.pipe(forwarded);
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
