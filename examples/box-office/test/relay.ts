import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { apiKey, releases, sandboxUrl } from './support.ts';

export type Relay = {
  url: string;
  /** Drops the answer to the next call of this path. Resolves when the service has answered. */
  loseAnswerOf(path: string): Promise<void>;
  /** While true, the relay drops every connection. */
  isDown: boolean;
  /** If set, the relay gives this answer to every call, and forwards none. */
  answer: { status: number; body: string } | undefined;
  /** Sets `isDown`, and ends the calls whose answers were dropped. */
  cut(): void;
  /** The paths of all calls, forwarded or not. */
  received: string[];
  /** The forwarded calls. */
  forwarded: { path: string; body: string }[];
};

/** A proxy between the shop and the sandbox that can lose answers. */
export async function startRelay(): Promise<Relay> {
  const toLose: { path: string; resolve: () => void }[] = [];
  const hanging: Socket[] = [];
  const relay: Relay = {
    url: '',
    isDown: false,
    answer: undefined,
    received: [],
    forwarded: [],
    cut: () => {
      relay.isDown = true;
      for (const socket of hanging.splice(0)) socket.destroy();
    },
    loseAnswerOf: (lostPath) => new Promise((resolve) => void toLose.push({ path: lostPath, resolve })),
  };
  const forward = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    relay.received.push(request.url ?? '');
    if (relay.isDown) return void request.socket.destroy();
    if (relay.answer !== undefined) return void response.writeHead(relay.answer.status).end(relay.answer.body);
    const { method = 'GET', url: target = '/' } = request;
    const body = Buffer.concat(chunks);
    relay.forwarded.push({ path: target, body: body.toString() });
    const answer = await fetch(new URL(target, sandboxUrl), {
      method,
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      ...(body.length > 0 && { body }),
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    const index = toLose.findIndex((each) => target.startsWith(each.path));
    if (index >= 0) {
      hanging.push(request.socket);
      return toLose.splice(index, 1)[0]?.resolve();
    }
    const date = answer.headers.get('date') ?? '';
    response.writeHead(answer.status, { 'content-type': 'application/json', date }).end(bytes);
  };
  const server = createServer((request, response) => {
    forward(request, response).catch(() => request.socket.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  releases.push(() => {
    server.close();
    server.closeAllConnections();
  });
  relay.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return relay;
}
