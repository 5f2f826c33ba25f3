import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Body, ProxiedCall } from './proxied-calls.ts';

export type ProxiedAnswer = { status: number; headers: Record<string, string>; bytes: Uint8Array };

/** Headers that belong to one connection, or that the proxy sets itself. */
const NOT_FORWARDED = new Set([
  ...'connection keep-alive transfer-encoding upgrade te trailer proxy-connection'.split(' '),
  ...'host content-length content-encoding accept-encoding expect'.split(' '),
]);

/** Forwards a call to the sandbox. `isWhole` prevents a 304, which cannot be rewritten. */
export async function askSandbox(url: string, request: IncomingMessage, bytes: Uint8Array, isWhole: boolean) {
  const headers = Object.entries(request.headers).flatMap(([name, value]) =>
    NOT_FORWARDED.has(name) || typeof value !== 'string' ? [] : [[name, value] as [string, string]],
  );
  const method = request.method ?? 'GET';
  const response = await fetch(url, {
    method,
    headers: headers.filter(([name]) => !(isWhole && name === 'if-none-match')),
    ...(bytes.length === 0 || method === 'GET' ? {} : { body: Buffer.from(bytes) }),
    redirect: 'manual',
  });
  return {
    status: response.status,
    headers: response.headers,
    bytes: new Uint8Array(await response.arrayBuffer()),
  };
}

export function forwardedHeaders(headers: Headers): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => !NOT_FORWARDED.has(name)));
}

/** Rewrites the JSON of a successful response; returns other responses unchanged. */
export function rewritten(
  answer: ProxiedAnswer,
  change: (body: Body, call: ProxiedCall) => unknown,
  call: ProxiedCall,
): ProxiedAnswer {
  const body = call.answer?.body;
  if (answer.status >= 300 || typeof body !== 'object' || body === null) return answer;
  // Drop the ETag: a later 304 would confirm the rewritten body.
  const headers = Object.fromEntries(Object.entries(answer.headers).filter(([name]) => name !== 'etag'));
  return {
    ...answer,
    headers,
    bytes: Buffer.from(JSON.stringify(change(structuredClone(body) as Body, call))),
  };
}

/** A made-up response: JSON, or HTML if the body is text. */
export function madeAnswer({
  status,
  headers = {},
  body = {},
}: {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
}): ProxiedAnswer {
  const isText = typeof body === 'string';
  const type = isText ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8';
  return {
    status,
    headers: { 'content-type': type, ...headers },
    bytes: Buffer.from(isText ? body : JSON.stringify(body)),
  };
}

export function sendAnswer(response: ServerResponse, { status, headers, bytes }: ProxiedAnswer): void {
  response.writeHead(status, {
    ...headers,
    'content-length': String(bytes.length),
  } satisfies IncomingHttpHeaders);
  response.end(bytes);
}

export async function bytesOf(message: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks);
}
