import { setTimeout as wait } from 'node:timers/promises';

const timeoutMs = 15_000;
const readyTimeoutMs = 30_000;
const readyPollMs = 200;

export type ApiResponse = {
  status: number;
  body: unknown;
};

/** Calls `method path`, with `body` as JSON if given. Rejects when the status is not one of `expected`. */
export type CallApi = (
  method: string,
  path: string,
  expected: readonly number[],
  body?: object,
) => Promise<ApiResponse>;

/**
 * Calls one listener with `send`, by default `fetch`.
 * The returned function throws an Error that names the call, the status and the start of the response.
 */
export function apiCaller(
  baseUrl: string,
  apiKey: string,
  send: (request: Request) => Promise<Response> = fetch,
): CallApi {
  return async (method, path, expected, body) => {
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
    if (!expected.includes(response.status)) {
      throw new Error(`${call} responded with ${response.status}, not ${expected.join(' or ')}: ${text.slice(0, 300)}`);
    }
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
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

export function textField({ body }: Pick<ApiResponse, 'body'>, name: string): string {
  const value = field(body, name);
  if (typeof value === 'string') return value;
  throw new Error(`a response has no ${name}: ${JSON.stringify(body)}`);
}

export function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
