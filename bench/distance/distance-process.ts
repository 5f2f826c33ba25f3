/** A proxy for a local port that simulates network latency: it delays all data by `delayMs` in both directions. */

import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';

const [port = 0, delayMs = 0] = process.argv.slice(2).map(Number);

function forward(source: Socket, target: Socket): void {
  source.setNoDelay(true);
  source.on('data', (chunk: Buffer) => setTimeout(() => target.writable && target.write(chunk), delayMs));
  source.on('error', () => target.destroy());
  source.on('close', () => setTimeout(() => target.destroy(), delayMs));
}

const server = createServer((near) => {
  const far = connect(port, '127.0.0.1');
  forward(near, far);
  forward(far, near);
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.once('SIGTERM', () => process.exit(0));
