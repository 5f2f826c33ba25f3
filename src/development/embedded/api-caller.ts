import { setTimeout as wait } from 'node:timers/promises';

const timeoutMs = 15_000;
const readyTimeoutMs = 30_000;
const readyPollMs = 200;

/** Calls `method path`, with `body` as JSON if given. Returns the body of a 2xx response; rejects otherwise. */
export type CallApi = (method: string, path: string, body?: object) => Promise<unknown>;

/**
 * Returns a function that calls one listener with `send`, by default `fetch`.
 * It throws an Error that names the call, the status and the start of the response.
 */
export function apiCaller(
  baseUrl: string,
  apiKey: string,
  send: (request: Request) => Promise<Response> = fetch,
): CallApi {
  return async (method, path, body) => {
    const call = `${method} ${path}`;
    const request = new Request(new URL(path, baseUrl), {
      method,
      headers: { 'x-api-key': apiKey, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const response = await send(request).catch((error: unknown) => {
      throw new Error(`${call} at ${baseUrl} got no response: ${String(error)}`, { cause: error });
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${call} responded with ${response.status}: ${text.slice(0, 300)}`);
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  };
}

/** Resolves when `/readyz` returns 200. @throws Error with its last response after 30 s */
export async function untilReady(url: string): Promise<void> {
  const deadline = performance.now() + readyTimeoutMs;
  for (;;) {
    const response = await fetch(new URL('/readyz', url), { signal: AbortSignal.timeout(timeoutMs) });
    if (response.ok) return;
    const text = await response.text();
    if (performance.now() > deadline) throw new Error(`the API is not ready: ${response.status} ${text}`);
    await wait(readyPollMs);
  }
}

/** A text in the body of a response. @throws Error if it is missing */
export function textField(body: unknown, name: string): string {
  const value = field(body, name);
  if (typeof value === 'string') return value;
  throw new Error(`a response has no ${name}: ${JSON.stringify(body)}`);
}

export function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
