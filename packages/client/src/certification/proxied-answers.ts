import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Body, ProxiedCall } from './proxied-calls.ts';

/** A response on its way to the integration. */
export type ProxiedAnswer = { status: number; headers: Record<string, string>; bytes: Uint8Array };

/** Of a connection, or made anew by whoever sends the bytes on. */
const NOT_PASSED_ON = new Set([
  ...'connection keep-alive transfer-encoding upgrade te trailer proxy-connection'.split(' '),
  ...'host content-length content-encoding accept-encoding expect'.split(' '),
]);

/** Asks the sandbox what the integration asked; in full where `isWhole`, for of a 304 nothing could be rewritten. */
export async function askSandbox(url: string, request: IncomingMessage, bytes: Uint8Array, isWhole: boolean) {
  const headers = Object.entries(request.headers).flatMap(([name, value]) =>
    NOT_PASSED_ON.has(name) || typeof value !== 'string' ? [] : [[name, value] as [string, string]],
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

/** The headers that are passed on. */
export function passedOn(headers: Headers): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => !NOT_PASSED_ON.has(name)));
}

/** The response with another JSON in its body; one without JSON, or of a failure, as it is. */
export function rewritten(
  answer: ProxiedAnswer,
  change: (body: Body, call: ProxiedCall) => unknown,
  call: ProxiedCall,
): ProxiedAnswer {
  const body = call.answer?.body;
  if (answer.status >= 300 || typeof body !== 'object' || body === null) return answer;
  // With its ETag the integration would be told later that what it was shown is still so.
  const headers = Object.fromEntries(Object.entries(answer.headers).filter(([name]) => name !== 'etag'));
  return {
    ...answer,
    headers,
    bytes: Buffer.from(JSON.stringify(change(structuredClone(body) as Body, call))),
  };
}

/** A response that the sandbox did not give: JSON, or a page where the body is a text. */
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
