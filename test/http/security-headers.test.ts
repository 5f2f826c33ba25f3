import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import helmet from 'helmet';
import { SECURITY_OPTIONS, securityHeaders } from '../../src/http/security-headers.ts';

test("the headers that are set on every response are helmet's own of that response", async () => {
  const protect = helmet(SECURITY_OPTIONS);
  const server = createServer((req, res) => protect(req, res, () => res.end()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const reply = await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: 'close' } });
    const headers = new Headers(reply.headers);
    for (const name of ['connection', 'content-length', 'date']) headers.delete(name);
    expect(Object.fromEntries(headers)).toEqual(
      Object.fromEntries(securityHeaders().map(([name, value]) => [name.toLowerCase(), value])),
    );
  } finally {
    server.close();
  }
});
