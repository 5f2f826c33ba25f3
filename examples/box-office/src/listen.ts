import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Listener = { server: Server; url: string };

/** Listens on `host` and `port`. @throws Error that names the setting of the port, `portSetting` */
export async function listen(
  app: RequestListener,
  { host, port, portSetting }: { host: string; port: number; portSetting: string },
): Promise<Listener> {
  const server = createServer(app).listen(port, host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    throw new Error(
      code === 'EADDRINUSE'
        ? `Port ${port} of ${host} is taken: end the program that listens there, or set ${portSetting} to another port`
        : `Port ${port} of ${host} cannot be listened on (${message}): change ${portSetting} or HOST`,
      { cause },
    );
  }
  const { address, family, port: actualPort } = server.address() as AddressInfo;
  return { server, url: `http://${family === 'IPv6' ? `[${address}]` : address}:${actualPort}` };
}
