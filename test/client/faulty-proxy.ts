import { Agent, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { startStubServer } from '../support/stub-server.ts';

/** What happens to a request on its way to the service and back. */
export type Fault =
  | { kind: 'none' }
  /** The proxy passes the request on after a delay. */
  | { kind: 'late'; ms: number }
  /** The proxy answers itself; the service does not see the request. */
  | { kind: 'answered'; status: number; headers?: Record<string, string>; body?: string }
  /** The proxy resets the connection; the service does not see the request. */
  | { kind: 'reset' }
  /** The service executes the call. This share of the response arrives, then the proxy cuts the connection. */
  | { kind: 'cut'; share: number }
  /** The service executes the call, but the caller gets 503. */
  | { kind: 'unknown' };

type ProxiedCall = { method: string; path: string; body: string };

/** A proxy before a service. `faultOf` decides about each request; if it rejects, the proxy cuts the connection. */
export async function startFaultyProxy(serviceUrl: string, faultOf: (call: ProxiedCall) => Fault | Promise<Fault>) {
  const seen: ProxiedCall[] = [];
  const closing = new AbortController();
  const agent = new Agent({ keepAlive: true });
  const carryOut = async (req: IncomingMessage, res: ServerResponse) => {
    const body = await buffer(req);
    const call = { method: req.method ?? '', path: req.url ?? '', body: String(body) };
    const fault = await faultOf(call);
    seen.push(call);
    if (fault.kind === 'reset') return void req.socket.resetAndDestroy();
    if (fault.kind === 'answered') return void res.writeHead(fault.status, fault.headers).end(fault.body ?? '{}');
    if (fault.kind === 'late') await delay(fault.ms, undefined, { signal: closing.signal });
    const answer = await passOn(req, body);
    if (fault.kind === 'unknown') return void res.writeHead(503).end('{}');
    res.writeHead(answer.status, answer.headers);
    if (fault.kind !== 'cut') return void res.end(answer.body);
    res.flushHeaders();
    res.write(answer.body.subarray(0, Math.floor(answer.body.length * fault.share)), () => req.socket.destroy());
  };
  const passOn = (req: IncomingMessage, body: Buffer) =>
    new Promise<{ status: number; headers: IncomingMessage['headers']; body: Buffer }>((resolve, reject) => {
      const { method, url = '', headers } = req;
      const forwarded = request(serviceUrl + url, { method, headers, agent }, (answer) => {
        buffer(answer).then(
          (text) => resolve({ status: answer.statusCode ?? 502, headers: answer.headers, body: text }),
          reject,
        );
      });
      forwarded.on('error', reject).end(body);
    });
  const handled: Promise<void>[] = [];
  const server = await startStubServer((req, res) => {
    handled.push(carryOut(req, res).catch(() => void req.socket.destroy()));
  });
  return {
    url: server.url,
    /** Every request so far, in order of arrival. */
    seen,
    /** Waits until the service has answered all requests that were passed on. */
    close: async () => {
      closing.abort();
      await server.close();
      await Promise.all(handled);
      agent.destroy();
    },
  };
}
