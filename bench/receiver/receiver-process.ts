/** A webhook receiver. Responds with 200 at once, after 200 ms at `/slow`, and never at `/hang`. */

import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Question, Received } from './receiver.ts';

const SLOW_MS = 200;
let received = empty();
const hanging = new Set<Socket>();

function empty(): Received {
  return { arrivals: 0, lastAt: 0, ages: [], holdIds: new Set() };
}

function note(body: string): void {
  const now = Date.now();
  received.arrivals += 1;
  const holdId = /"hold_id":"([^"]+)"/.exec(body)?.[1] ?? '';
  if (received.holdIds.has(holdId)) return;
  received.holdIds.add(holdId);
  received.lastAt = now;
  const at = /"timestamp":"([^"]+)"/.exec(body)?.[1];
  if (at !== undefined) received.ages.push(now - Date.parse(at));
}

const server = createServer({ keepAliveTimeout: 60_000 }, (req, res) => {
  const parts: Buffer[] = [];
  req.on('data', (part: Buffer) => parts.push(part));
  req.on('end', () => {
    if (req.url === '/hang') {
      hanging.add(req.socket);
      req.socket.once('close', () => hanging.delete(req.socket));
      return;
    }
    if (req.url === '/slow') {
      note(Buffer.concat(parts).toString());
      setTimeout(() => res.setHeader('Content-Length', 2).end('ok'), SLOW_MS);
      return;
    }
    // Posts of the limit go to `/post` and are not recorded, because recording is not part of a delivery.
    if (req.url === '/webhook') note(Buffer.concat(parts).toString());
    res.setHeader('Content-Length', 2).end('ok');
  });
});

server.listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port });
});

process.on('message', (question: Question) => {
  switch (question) {
    case 'count':
      process.send?.(received.holdIds.size);
      break;
    case 'take': {
      const taken = received;
      received = empty();
      process.send?.(taken);
      break;
    }
    case 'drop':
      for (const socket of hanging) socket.destroy();
      process.send?.('dropped');
      break;
  }
});
process.once('disconnect', () => process.exit());
