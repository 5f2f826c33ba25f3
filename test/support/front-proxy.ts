import { type RequestListener, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { selfSigned } from '../sender/self-signed.ts';
import { startStubServer } from './stub-server.ts';

type Options = { tls?: boolean; headers?: Record<string, string>; change?: (body: unknown) => unknown };

/**
 * A reverse proxy that keeps the Host header, as in production. `tls`: terminates TLS with an untrusted certificate.
 * `headers`: override response headers. `change`: replaces JSON bodies.
 */
export async function startFrontProxy(url: string, { tls = false, headers = {}, change }: Options = {}) {
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
  const { url: own, close } = await startStubServer(passOn, tls ? selfSigned : undefined);
  return { port: Number(new URL(own).port), close };
}
export type FrontProxy = Awaited<ReturnType<typeof startFrontProxy>>;
