import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** What becomes of a request on its way to the service and back. */
export type Fault =
  | { kind: 'none' }
  /** It waits, and is then passed on. */
  | { kind: 'late'; ms: number }
  /** The proxy answers; the service never sees it. */
  | { kind: 'answered'; status: number; headers?: Record<string, string>; body?: string }
  /** The connection is reset; the service never sees it. */
  | { kind: 'reset' }
  /** The service carries it out; of the response this share arrives, then the connection is cut. */
  | { kind: 'cut'; share: number }
  /** The service carries it out; 503 arrives. */
  | { kind: 'unknown' };

export type Seen = { method: string; path: string; requestId: string; body: string; fault: Fault };

export type FaultyProxy = {
  url: string;
  /** Every request so far, in order of arrival. */
  seen: Seen[];
  /** Waits until the service has answered all that was passed on. */
  close(): Promise<void>;
};

/** Stands in front of a service; `faultOf` says what becomes of each request; where it rejects, the connection is cut. */
export async function startFaultyProxy(
  serviceUrl: string,
  faultOf: (asked: Omit<Seen, 'fault'>) => Fault | Promise<Fault>,
): Promise<FaultyProxy> {
  const seen: Seen[] = [];
  const closing = new AbortController();
  const agent = new Agent({ keepAlive: true });
  const carryOut = async (req: IncomingMessage, res: ServerResponse) => {
    const body = await textOf(req);
    const asked = { method: req.method ?? '', path: req.url ?? '', requestId: idOf(req), body: String(body) };
    const fault = await faultOf(asked);
    seen.push({ ...asked, fault });
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
      const asked = request(serviceUrl + url, { method, headers, agent }, (answer) => {
        textOf(answer).then(
          (text) => resolve({ status: answer.statusCode ?? 502, headers: answer.headers, body: text }),
          reject,
        );
      });
      asked.on('error', reject).end(body);
    });
  const handled: Promise<void>[] = [];
  const server = createServer((req, res) => {
    handled.push(carryOut(req, res).catch(() => void req.socket.destroy()));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    close: async () => {
      closing.abort();
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      });
      await Promise.all(handled);
      agent.destroy();
    },
  };
}

const idOf = ({ headers }: IncomingMessage): string => String(headers['x-request-id'] ?? '');

async function textOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
