import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A call that may change something, counted from 1. */
export type Write = { number: number; method: string; path: string; body: unknown };

/** What becomes of a write: it is passed on, refused (503), or done and never answered for. */
export type Verdict = 'pass' | 'refuse' | 'swallow' | undefined;

/** `close` waits until the service has answered all that was passed on, whoever has gone meanwhile. */
export type Relay = { url: string; writes: Write[]; close: () => Promise<void> };

/** Stands between a command and the service: passes every call on, and asks `onWrite` first about those that change something. */
export async function startRelay(
  target: string,
  onWrite: (write: Write) => Verdict | Promise<Verdict>,
  /** Whether a preview, which changes nothing and is a POST, is a write too. */
  countsPreviews = false,
): Promise<Relay> {
  const writes: Write[] = [];
  const handled: Promise<void>[] = [];
  const server = createServer((request, response) => {
    const handle = async (): Promise<void> => {
      const { method = '', url: path = '' } = request;
      const body = await text(request);
      let verdict: Verdict = 'pass';
      if (method !== 'GET' && (!path.endsWith('/change-preview') || countsPreviews)) {
        const write = {
          ...{ number: writes.length + 1, method, path },
          body: body === '' ? undefined : (JSON.parse(body) as unknown),
        };
        writes.push(write);
        verdict = await onWrite(write);
      }
      if (verdict === 'refuse') {
        response.writeHead(503, { 'content-type': 'application/json' });
        response.end(JSON.stringify(REFUSAL));
        return;
      }
      const answer = await fetch(`${target}${path}`, {
        method,
        headers: { 'x-api-key': String(request.headers['x-api-key']), 'content-type': 'application/json' },
        ...(body === '' ? {} : { body }),
      });
      const answered = await answer.text();
      if (verdict === 'swallow') {
        request.socket.destroy();
        return;
      }
      response.writeHead(answer.status, { 'content-type': 'application/json' });
      response.end(answered);
    };
    handled.push(handle().catch(() => void request.socket.destroy()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    writes,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      await Promise.all(handled);
    },
  };
}

const REFUSAL = {
  success: false,
  error: { code: 'SERVICE_UNAVAILABLE', message: 'The database is away.', request_id: 'relay-1' },
};
