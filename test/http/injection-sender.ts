import type { RequestOptions } from 'node:http';
import { Agent, request } from 'node:http';
import type { Reply } from '../support/client.ts';
import { converse, repliesIn } from './raw-connection.ts';

/** A request that is sent byte for byte. `header` may contain bytes that Node's HTTP client rejects. */
export type RawRequest = {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: Buffer;
  header?: { name: string; value: Buffer };
};

export type Sender = {
  send(url: string, raw: RawRequest): Promise<Reply>;
  close(): void;
};

/** The number of concurrent requests. */
export const CONNECTIONS = 12;

/** Sends over keep-alive connections. A request with a raw `header` has its own connection and address. */
export function createSender(): Sender {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  let callers = 0;
  return {
    send: (url, raw) => {
      if (raw.header === undefined) return sendByLibrary(agent, url, raw);
      callers += 1;
      // Its own address, so that the limit of bad keys per address never applies.
      return sendBytes(`127.1.${callers >> 8}.${callers & 255}`, url, raw, raw.header);
    },
    close: () => agent.destroy(),
  };
}

function sendByLibrary(agent: Agent, url: string, raw: RawRequest): Promise<Reply> {
  const { method, path, headers, body } = raw;
  const { hostname, port } = new URL(url);
  const length = body === undefined ? {} : { 'content-length': String(body.length) };
  const options: RequestOptions = { agent, hostname, port, method, path, headers: { ...headers, ...length } };
  return new Promise<Reply>((resolve, reject) => {
    const sent = request(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => void chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const received = new Headers();
        for (const [name, values = []] of Object.entries(response.headersDistinct))
          for (const value of values) received.append(name, value);
        const text = Buffer.concat(chunks).toString();
        const isJson = received.get('content-type')?.includes('json') === true && text !== '';
        const parsed = isJson ? (JSON.parse(text) as unknown) : undefined;
        resolve({ status: response.statusCode ?? 0, headers: received, text, body: parsed });
      });
    });
    sent.on('error', (err) => {
      // The server may close an idle connection just when the next request is sent over it.
      if (sent.reusedSocket && (err as NodeJS.ErrnoException).code === 'ECONNRESET') {
        resolve(sendByLibrary(agent, url, raw));
      } else {
        reject(new Error(`${method} ${path.slice(0, 200)}`, { cause: err }));
      }
    });
    sent.end(body);
  });
}

async function sendBytes(
  localAddress: string,
  url: string,
  { method, path, headers, body = Buffer.alloc(0) }: RawRequest,
  header: { name: string; value: Buffer },
): Promise<Reply> {
  const { host } = new URL(url);
  const others = Object.entries({ ...headers, host, connection: 'close', 'content-length': body.length });
  const head = [`${method} ${path} HTTP/1.1`, ...others.map(([name, value]) => `${name}: ${value}`)];
  const beginning = Buffer.from(`${head.join('\r\n')}\r\n${header.name}: `);
  const sent = Buffer.concat([beginning, header.value, Buffer.from('\r\n\r\n'), body]);
  const [reply] = repliesIn(await converse(url, sent, localAddress));
  if (reply === undefined) throw new Error(`No response to ${method} ${path.slice(0, 200)}`);
  return reply;
}
