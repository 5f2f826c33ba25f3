/** How `npm start` speaks to the API that it has started; what goes wrong is said in a sentence. */

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

/** @throws Error (from the caller made) naming the call, the status and the start of the response */
export function apiCaller(baseUrl: string, apiKey: string): CallApi {
  return async (method, path, expected, body) => {
    const call = `${method} ${path}`;
    const response = await fetch(new URL(path, baseUrl), {
      method,
      headers: { 'x-api-key': apiKey, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    }).catch((error: unknown) => {
      throw new Error(`${call} at ${baseUrl} got no response: ${String(error)}`, { cause: error });
    });
    const text = await response.text();
    if (!expected.includes(response.status)) {
      throw new Error(
        `${call} responded with ${response.status}, not ${expected.join(' or ')}: ${text.slice(0, 300)}`,
      );
    }
    return { status: response.status, body: text === '' ? undefined : parse(text, call) };
  };
}

/**
 * Resolves when the API's `/readyz` returns 200.
 *
 * @throws Error with its last response after 30 s
 */
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

/** A text field of a response. @throws Error when it is absent */
export function textField(response: ApiResponse, name: string): string {
  const value = field(response.body, name);
  if (typeof value !== 'string')
    throw new Error(`a response has no ${name}: ${JSON.stringify(response.body)}`);
  return value;
}

/** The items of a list field (`data`, `slots`) of a response. @throws Error when it is absent */
export function listField(response: ApiResponse, name: string): unknown[] {
  const value = field(response.body, name);
  if (!Array.isArray(value))
    throw new Error(`a response has no list ${name}: ${JSON.stringify(response.body)}`);
  return value;
}

/** A property of something that may be no object. */
export function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function parse(text: string, call: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${call} responded with something that is not JSON: ${text.slice(0, 300)}`);
  }
}

/** A field in words: text as it is, anything else as JSON, `nothing` where there is none. */
export function fieldText(value: unknown, name: string): string {
  const found = field(value, name);
  return typeof found === 'string' ? found : (JSON.stringify(found) ?? 'nothing');
}
