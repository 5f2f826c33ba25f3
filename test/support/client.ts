import { Agent, request } from 'node:http';
import { requireDescribed } from './described-responses.ts';

/** A response as received. `body` is undefined if it is empty. */
export type Reply = { status: number; headers: Headers; body: unknown; text: string };

export type Client = {
  get(path: string, headers?: Record<string, string>): Promise<Reply>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
  put(path: string, body?: unknown): Promise<Reply>;
  patch(path: string, body?: unknown): Promise<Reply>;
  delete(path: string): Promise<Reply>;
  /** Any request; sends `body` unchanged. */
  send(
    method: string,
    path: string,
    init?: { headers?: Record<string, string> | undefined; body?: string },
  ): Promise<Reply>;
};

/**
 * A client of one listener that sends `apiKey`, if any, with every call. Throws if a response does not match the
 * OpenAPI description. Does not follow redirects. Uses `node:http`, because `fetch` needs two to four times its
 * processor time.
 */
export function createClient(url: string, apiKey: string | undefined): Client {
  const send: Client['send'] = async (method, path, init = {}) => {
    const key: Record<string, string> = apiKey === undefined ? {} : { 'x-api-key': apiKey };
    const reply = await exchange(method, url + path, { ...key, ...init.headers }, init.body);
    requireDescribed(method, path, reply);
    return reply;
  };
  return clientOver(send);
}

/** A client that makes every call by `send`. */
export function clientOver(send: Client['send']): Client {
  const withJson = (method: string) => (path: string, body?: unknown, headers?: Record<string, string>) =>
    body === undefined
      ? send(method, path, { headers })
      : send(method, path, {
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify(body),
        });
  return {
    send,
    get: (path, headers) => send('GET', path, { headers }),
    post: withJson('POST'),
    put: withJson('PUT'),
    patch: withJson('PATCH'),
    delete: (path) => send('DELETE', path),
  };
}

const agent = new Agent({ keepAlive: true });

/** Sends one request and reads the whole response; rejects if there is none. */
export function exchange(
  method: string,
  url: string,
  headers: Record<string, string>,
  body: string | Buffer | undefined,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    // Send a length, as browsers and `fetch` do: without it, Node sends the body in chunks.
    const hasBody = body !== undefined || ['POST', 'PUT', 'PATCH'].includes(method);
    const length = hasBody ? { 'content-length': String(Buffer.byteLength(body ?? '')) } : {};
    const sent = request(url, { method, agent, headers: { accept: '*/*', ...length, ...headers } }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => void chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        const received = new Headers();
        for (const [name, values = []] of Object.entries(answer.headersDistinct)) {
          for (const value of values) received.append(name, value);
        }
        const text = Buffer.concat(chunks).toString();
        const isJson = received.get('content-type')?.includes('json') === true && text !== '';
        const parsed = isJson ? (JSON.parse(text) as unknown) : undefined;
        resolve({ status: answer.statusCode ?? 0, headers: received, text, body: parsed });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
