/** The partner's (or the operator's) way to the API: each call is printed as it was sent, with its response. */

import { field, fieldText } from '../embedded/api-caller.ts';
import { UnexpectedError } from './expectations.ts';
import type { Transcript } from './transcript.ts';

const timeoutMs = 10_000;

export type Reply = {
  status: number;
  headers: Headers;
  body: unknown;
  /** A field of the JSON body. @throws UnexpectedError when it is no text */
  text: (name: string) => string;
  /** A list in the JSON body. @throws UnexpectedError when it is none */
  list: (name: string) => readonly unknown[];
};

export type CallOptions = {
  body?: Readonly<Record<string, unknown>>;
  /** Statuses that are as they should be; 200 where none are given. */
  expect?: readonly number[];
  /** The error code that must come, where an error is expected. */
  code?: string;
  /** Fields of the response that are printed; of an error it is the code. */
  show?: readonly string[];
};

export type Api = {
  /** Prints the call. @throws UnexpectedError for any other status than expected */
  call: (method: string, path: string, options?: CallOptions) => Promise<Reply>;
  /** The same, unprinted, for what is asked again and again. */
  ask: (method: string, path: string, options?: CallOptions) => Promise<Reply>;
};

/** @throws Error (from the calls) in a sentence when there is no response within 10 s */
export function createApi(baseUrl: string, apiKey: string, transcript: Transcript): Api {
  const send = async (method: string, path: string, body: CallOptions['body']): Promise<Reply> => {
    const response = await fetch(new URL(path, baseUrl), {
      method,
      headers: { 'x-api-key': apiKey, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    }).catch((error: unknown) => {
      throw new UnexpectedError(`${method} ${path}`, `a response from ${baseUrl}`, reasonOf(error));
    });
    return asReply(`${method} ${path}`, response.status, response.headers, await response.text());
  };
  return {
    call: async (method, path, options = {}) => {
      const reply = await send(method, path, options.body);
      transcript.call(method, path, reply.status);
      if (options.body) transcript.values('→', options.body);
      requireExpected(reply, `${method} ${path}`, options);
      const code = errorCodeOf(reply);
      const shown = (options.show ?? []).map((name) => [name, field(reply.body, name)] as const);
      const values = code === undefined ? Object.fromEntries(shown) : { code };
      if (Object.keys(values).length > 0) transcript.values('←', values);
      return reply;
    },
    ask: async (method, path, options = {}) => {
      const reply = await send(method, path, options.body);
      requireExpected(reply, `${method} ${path}`, options);
      return reply;
    },
  };
}

function asReply(call: string, status: number, headers: Headers, text: string): Reply {
  const body = parse(text);
  return {
    ...{ status, headers, body },
    text: (name) => {
      const value = field(body, name);
      if (typeof value === 'string') return value;
      throw new UnexpectedError(call, `a text ${name}`, text.slice(0, 300));
    },
    list: (name) => {
      const value = field(body, name);
      if (Array.isArray(value)) return value as unknown[];
      throw new UnexpectedError(call, `a list ${name}`, text.slice(0, 300));
    },
  };
}

/** The code of an error response. */
export function errorCodeOf({ body }: Reply): unknown {
  return field(field(body, 'error'), 'code');
}

function requireExpected(reply: Reply, call: string, { expect = [200], code }: CallOptions): void {
  const isCode = code === undefined || errorCodeOf(reply) === code;
  if (expect.includes(reply.status) && isCode) return;
  const error = field(reply.body, 'error');
  const fault = error === undefined ? '' : ` ${fieldText(error, 'code')}: ${fieldText(error, 'message')}`;
  throw new UnexpectedError(call, [expect.join(' or '), code].join(' ').trim(), `${reply.status}${fault}`);
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error ? cause.message : String(cause);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
