/** Simulates network latency: a proxy that forwards data to and from a local port after `delayMs`. */

import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';

const [port = 0, delayMs = 0] = process.argv.slice(2).map(Number);

function handOn(from: Socket, to: Socket): void {
  from.setNoDelay(true);
  from.on('data', (chunk: Buffer) => setTimeout(() => to.writable && to.write(chunk), delayMs));
  from.on('error', () => to.destroy());
  from.on('close', () => setTimeout(() => to.destroy(), delayMs));
}

const server = createServer((near) => {
  const far = connect(port, '127.0.0.1');
  handOn(near, far);
  handOn(far, near);
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.once('SIGTERM', () => process.exit(0));
