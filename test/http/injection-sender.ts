import { exchange, type Reply } from '../support/client.ts';
import { converse, repliesIn } from './raw-connection.ts';

/** A request that is sent byte for byte. `header` may contain bytes that Node's HTTP client rejects. */
export type RawRequest = {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: Buffer;
  header?: { name: string; value: Buffer };
};

let callers = 0;

/** Sends a request. One with a raw `header` has its own connection and address. */
export async function sendRaw(url: string, { method, path, headers, body, header }: RawRequest): Promise<Reply> {
  if (header === undefined) return exchange(method, url + path, headers, body);
  callers += 1;
  // Its own address, so that the limit of bad keys per address never applies.
  const localAddress = `127.1.${callers >> 8}.${callers & 255}`;
  const length = body?.length ?? 0;
  const others = Object.entries({ ...headers, host: new URL(url).host, connection: 'close', 'content-length': length });
  const head = [`${method} ${path} HTTP/1.1`, ...others.map(([name, value]) => `${name}: ${value}`)];
  const beginning = Buffer.from(`${head.join('\r\n')}\r\n${header.name}: `);
  const sent = Buffer.concat([beginning, header.value, Buffer.from('\r\n\r\n'), body ?? Buffer.alloc(0)]);
  const [reply] = repliesIn(await converse(url, sent, localAddress));
  if (reply === undefined) throw new Error(`No response to ${method} ${path.slice(0, 200)}`);
  return reply;
}
