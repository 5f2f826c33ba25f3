import { createServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { selfSigned } from '../sender/self-signed.ts';

/** A partner's receiver on a free loopback port. It counts connections and requests. */
export type Receiver = {
  port: number;
  /** Connections accepted so far. */
  connections: number;
  /** Connections closed so far, by either side. */
  closedConnections: number;
  /** Complete requests: method, URL, headers and the exact bytes of the body. */
  requests: Array<{ method: string; url: string; headers: NodeJS.Dict<string | string[]>; body: Buffer }>;
  close(): Promise<void>;
};

/** An HTTP receiver. Calls `answer` for each complete request. */
export async function httpReceiver(
  answer: RequestListener,
  create: (listener: RequestListener) => Server = createServer,
): Promise<Receiver> {
  const requests: Receiver['requests'] = [];
  const server = create((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      requests.push({ method, url, headers, body: Buffer.concat(chunks) });
      answer(request, response);
    });
  });
  return listening(server, requests);
}

/** An HTTPS receiver with an untrusted certificate. */
export const selfSignedReceiver = (answer: RequestListener, options: TlsOptions = {}): Promise<Receiver> =>
  httpReceiver(answer, (listener) => createHttpsServer({ ...selfSigned, ...options }, listener));

/** A TCP receiver. `converse` writes its responses. */
export async function tcpReceiver(converse: (socket: Socket) => void): Promise<Receiver> {
  return listening(createTcpServer(converse), []);
}

async function listening(server: Server, requests: Receiver['requests']): Promise<Receiver> {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    receiver.connections += 1;
    open.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      receiver.closedConnections += 1;
      open.delete(socket);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The receiver has no port.');
  const receiver: Receiver = {
    port: address.port,
    connections: 0,
    closedConnections: 0,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
  return receiver;
}
