import { connect, type Socket } from 'node:net';
import type { Reply } from '../support/client.ts';

/** A raw connection to a listener, for bytes that no HTTP client sends. */
export type RawConnection = {
  socket: Socket;
  /** Everything received so far. */
  text(): string;
  /** Resolves when either side has closed the connection, with the milliseconds that it was open. */
  closed: Promise<number>;
};

/** `localAddress`: the client address that the listener sees. */
export function openRaw(url: string, sent: string | Buffer = '', localAddress?: string): RawConnection {
  const { hostname, port } = new URL(url);
  const chunks: Buffer[] = [];
  const beganAt = performance.now();
  const socket = connect({ port: Number(port), host: hostname, ...(localAddress && { localAddress }) }, () => {
    if (sent !== '') socket.write(sent);
  });
  socket.on('data', (chunk: Buffer) => void chunks.push(chunk)).on('error', () => undefined);
  return {
    socket,
    text: () => Buffer.concat(chunks).toString(),
    closed: new Promise((resolve) => {
      socket.once('close', () => resolve(performance.now() - beganAt));
    }),
  };
}

/** The headers of a request; the listener closes the connection after its response. */
export function headOf(method: string, url: string, headers: readonly (readonly [string, string | number])[]): string {
  const { host, pathname } = new URL(url);
  const all = [['Host', host], ['Connection', 'close'], ...headers];
  return [`${method} ${pathname} HTTP/1.1`, ...all.map((each) => each.join(': ')), '\r\n'].join('\r\n');
}

/** Sends `sent`; returns everything received until the listener closes the connection. */
export async function converse(url: string, sent: string | Buffer, localAddress?: string): Promise<string> {
  const { closed, text } = openRaw(url, sent, localAddress);
  await closed;
  return text();
}

/** The responses received over a connection, in order; each must have a Content-Length. */
export function repliesIn(text: string): Reply[] {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  if (head === '') return [];
  const [line = '', ...fields] = head.split('\r\n');
  const headers = new Headers(
    fields.map((field): [string, string] => {
      const [name = '', ...value] = field.split(': ');
      return [name, value.join(': ')];
    }),
  );
  const length = Number(headers.get('content-length'));
  const after = rest.join('\r\n\r\n');
  const body = after.slice(0, length);
  const isJson = headers.get('content-type')?.includes('json') === true;
  const reply = {
    status: Number(line.split(' ')[1]),
    headers,
    text: body,
    body: isJson ? (JSON.parse(body) as unknown) : undefined,
  };
  return [reply, ...repliesIn(after.slice(length))];
}
