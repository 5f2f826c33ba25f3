import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';

/** What its worst partners' receivers do with a connection, and what the worker must make of it. */
export type Hostility = {
  name: string;
  /** Begins when the request arrives, or, where it is `atConnect`, when the connection does. */
  converse(socket: Socket, url: string): void;
  atConnect?: true;
  /** The scheme of the endpoint's URL; `http` unless given. */
  scheme?: 'https';
  /** The `error` of each attempt; null where the response is a success all the same: a 2xx. */
  error: string | null;
  statusCode: number | null;
};

/** A receiver on a free port of this machine that does one hostile thing, and counts. */
export type HostileReceiver = {
  url: string;
  /** Connections over which the worker sent anything. */
  exchanges: number;
  /** Bytes that it has got rid of. */
  poured(): number;
  close(): Promise<void>;
};

const head = (status: string, ...fields: string[]) =>
  ['HTTP/1.1 ', status, '\r\n', ...fields.map((field) => `${field}\r\n`), '\r\n'].join('');

/** Writes `chunk` as fast as it is taken, `limit` times or for ever. */
function pour(socket: Socket, chunk: string, limit = Number.POSITIVE_INFINITY): void {
  let left = limit;
  const more = (): void => {
    while (left > 0 && !socket.destroyed) {
      left -= 1;
      if (!socket.write(chunk)) return;
    }
  };
  socket.on('drain', more);
  more();
}

function drip(socket: Socket, text: string, everyMs = 1000): void {
  const timer = setInterval(() => socket.write(text), everyMs);
  socket.once('close', () => clearInterval(timer));
}

const redirect = (status: string, to: (url: string) => string): Hostility => ({
  name: `redirects (${status})`,
  converse: (socket, url) => socket.end(head(status, `location: ${to(url)}`, 'content-length: 0')),
  error: 'redirect',
  statusCode: Number(status.slice(0, 3)),
});

const says = (name: string, text: string, error: string | null, statusCode: number | null): Hostility => ({
  name,
  converse: (socket) => socket.end(text),
  error,
  statusCode,
});

const MANY_BYTES = 10_000_000;

/** Every hostility that is a failure, however it presents itself, and those of a 2xx that are none. */
export const HOSTILITIES: readonly Hostility[] = [
  { name: 'never answers', converse: () => undefined, error: 'timeout', statusCode: null },
  {
    name: 'drips its head, a byte a second',
    converse: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nx-drip: ');
      drip(socket, 'x');
    },
    error: 'timeout',
    statusCode: null,
  },
  {
    name: 'drips the body of its 200, a byte a second',
    converse: (socket) => {
      socket.write(head('200 OK', 'content-length: 1000'));
      drip(socket, 'x');
    },
    error: 'timeout',
    statusCode: 200,
  },
  {
    name: 'sends an endless 500',
    converse: (socket) => {
      socket.write(head('500 Oh', 'transfer-encoding: chunked'));
      pour(socket, `4000\r\n${'b'.repeat(0x4000)}\r\n`);
    },
    error: 'http_status',
    statusCode: 500,
  },
  {
    name: 'resets at connect',
    converse: (socket) => socket.resetAndDestroy(),
    atConnect: true,
    error: 'connection_reset',
    statusCode: null,
  },
  {
    name: 'resets in its head',
    converse: (socket) => socket.write('HTTP/1.1 200 OK\r\nx-a: ', () => socket.resetAndDestroy()),
    error: 'connection_reset',
    statusCode: null,
  },
  {
    name: 'closes in the body of its 200',
    converse: (socket) => socket.end(`${head('200 OK', 'content-length: 100')}partial`),
    error: 'connection_reset',
    statusCode: 200,
  },
  redirect('301 Moved', () => 'http://127.0.0.1:1/'),
  redirect('302 Found', () => 'http://169.254.169.254/latest/meta-data/'),
  redirect('307 Again', (url) => url),
  redirect('308 Again', (url) => url),
  says('answers 410', head('410 Gone', 'content-length: 0'), 'http_status', 410),
  says(
    'answers 429 with Retry-After',
    head('429 Slow', 'retry-after: 86400', 'content-length: 0'),
    'http_status',
    429,
  ),
  says('is no HTTP', 'SSH-2.0-OpenSSH_9.2\r\n', 'network_error', null),
  {
    name: 'says 103 for ever, as fast as it can',
    converse: (socket) => pour(socket, head('103 Early Hints', 'link: </a>').repeat(500)),
    error: 'network_error',
    statusCode: null,
  },
  {
    name: 'says 100 for ever, as fast as it can',
    converse: (socket) => pour(socket, head('100 Continue').repeat(500)),
    error: 'network_error',
    statusCode: null,
  },
  {
    name: 'sends a header without end',
    converse: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nx-long: ');
      pour(socket, 'h'.repeat(0x4000));
    },
    error: 'network_error',
    statusCode: null,
  },
  {
    name: 'sends headers without end',
    converse: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      pour(socket, 'x-more: of them\r\n'.repeat(500));
    },
    error: 'network_error',
    statusCode: null,
  },
  says(
    'gives two lengths',
    head('200 OK', 'content-length: 1', 'content-length: 2').concat('aa'),
    'network_error',
    null,
  ),
  says(
    'gives a chunk no length',
    `${head('200 OK', 'transfer-encoding: chunked')}zz\r\n\r\n`,
    'network_error',
    200,
  ),
  {
    name: 'closes TLS in the handshake',
    converse: (socket) => socket.end(),
    scheme: 'https',
    error: 'connection_reset',
    statusCode: null,
  },
  {
    name: 'answers TLS with HTTP',
    converse: (socket) => socket.end(head('200 OK', 'content-length: 0')),
    scheme: 'https',
    error: 'tls_error',
    statusCode: null,
  },
  {
    name: 'sends 10 MB with its 200',
    converse: (socket) => {
      socket.write(head('200 OK', `content-length: ${MANY_BYTES}`));
      pour(socket, 'a'.repeat(0x4000), Math.ceil(MANY_BYTES / 0x4000));
    },
    error: null,
    statusCode: 200,
  },
  {
    name: 'sends an endless 200',
    converse: (socket) => {
      socket.write(head('200 OK', 'transfer-encoding: chunked'));
      pour(socket, `4000\r\n${'b'.repeat(0x4000)}\r\n`);
    },
    error: null,
    statusCode: 200,
  },
];

/** Starts a receiver that does this to every connection. */
export async function startHostile(hostility: Hostility): Promise<HostileReceiver> {
  const open = new Set<Socket>();
  let pouredByClosed = 0;
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => {
      pouredByClosed += socket.bytesWritten;
      open.delete(socket);
    });
    const begin = (): void => {
      receiver.exchanges += 1;
      hostility.converse(socket, receiver.url);
    };
    if (hostility.atConnect === true) begin();
    else socket.once('data', begin);
    // The rest of what the worker sends is read and forgotten.
    socket.resume();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const receiver: HostileReceiver = {
    url: `${hostility.scheme ?? 'http'}://127.0.0.1:${port}/hook`,
    exchanges: 0,
    poured: () => pouredByClosed + [...open].reduce((sum, socket) => sum + socket.bytesWritten, 0),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
  return receiver;
}
