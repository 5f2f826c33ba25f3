import { connect } from 'node:net';

export type HttpResponse = { status: number; head: string; body: () => string };

export type HttpSocket = {
  /** Sends a request of `requestText` and returns its response. Await it before the next call. */
  send: (request: string) => Promise<HttpResponse>;
  close: () => void;
};

/** The text of a request to 127.0.0.1. */
export function requestText(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: unknown,
): string {
  const json = body === undefined ? '' : JSON.stringify(body);
  const all = {
    Host: '127.0.0.1',
    ...headers,
    ...(body === undefined
      ? {}
      : { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(json)) }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${json}`;
}

/**
 * A keep-alive connection that parses as little as possible: the client's own work would distort the figures.
 * A response with a body must have a Content-Length: the product always sends it. Status 0: the connection was lost.
 */
export function openSocket(port: number): HttpSocket {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let received: Buffer = Buffer.alloc(0);
  let waiting: ((response: HttpResponse) => void) | undefined;
  const respond = (response: HttpResponse) => {
    const resolve = waiting;
    waiting = undefined;
    received = Buffer.alloc(0);
    resolve?.(response);
  };
  socket.on('data', (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    const response = parse(received);
    if (response !== undefined) respond(response);
  });
  const lose = () => respond({ status: 0, head: '', body: () => '' });
  socket.on('error', lose).on('close', lose);
  return {
    send: (request) =>
      new Promise((resolve) => {
        waiting = resolve;
        if (socket.destroyed) lose();
        else socket.write(request);
      }),
    close: () => socket.destroy(),
  };
}

/** Undefined until the response is complete. */
function parse(bytes: Buffer): HttpResponse | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const head = bytes.toString('latin1', 0, end);
  const status = Number(head.slice(9, 12));
  const length = status === 304 ? 0 : Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
  if (bytes.length < end + 4 + length) return undefined;
  return { status, head, body: () => bytes.toString('utf8', end + 4, end + 4 + length) };
}
