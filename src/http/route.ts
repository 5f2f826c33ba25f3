import type { Request, Response } from 'express';
import type { ObjectSchema, Schema, StringSchema } from 'joi';
import type { Cause } from '../domain/cause.ts';
import type { ErrorCode } from '../domain/errors.ts';

/** Of an operator: `via` says how it was signed in, `keyId` with which key. */
export type SignedIn = { via: 'api-key' | 'session'; keyId: string };

/** Who makes an operator's call, and by which call. */
export type Operator = SignedIn & Cause;

/** Finds out who calls; what it throws is the response. */
export type Authenticate<Caller> = (req: Request, res: Response) => Promise<Caller>;

/** What a handler is given: all of it checked, nothing else of the request. */
export type Call<Caller, Params, Query, Body> = { caller: Caller; params: Params; query: Query; body: Body };

/** What a handler returns; `body` is sent as JSON, absent with 204. */
export type RouteResponse = { status: number; body?: unknown; headers?: Record<string, string> };

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** Headers of single responses; those of every response are added by the generator of the description. */
export type ResponseHeader = 'ETag' | 'Idempotent-Replayed';

/** The description of a response; 204 and 304 have no body. */
export type ResponseDescription = {
  description: string;
  body?: Schema;
  /** Where that of the body's schema is not what this endpoint returns. */
  example?: Record<string, unknown>;
  headers?: readonly ResponseHeader[];
};

/** Of an endpoint that is on its way out; dates are `YYYY-MM-DD` and begin at midnight UTC. */
export type Deprecation = {
  /** From when on nothing new is built on it. */
  since: string;
  /** From when on it may be gone; absent where that is not decided. */
  sunset?: string;
  /** The page that says what to call instead, as a path on the same listener. */
  guide: string;
};

type Described = {
  method: Method;
  path: string;
  /** A verb of the domain in camelCase, unique on its listener; generated clients name their methods after it. */
  operationId: string;
  /** The section of the description; one of its listener's tags. */
  tag: string;
  summary: string;
  description?: string;
  /** By status: every response that is not an error. */
  responses: Readonly<Record<number, ResponseDescription>>;
  /**
   * The codes that this endpoint's own rules add. Those that follow from its form (authentication, validation, reading the
   * body, rate limit, faults of the service) are added by the generator.
   */
  errors: readonly ErrorCode[];
  /** Present from when on callers are to move: every response says so, and the description. */
  deprecation?: Deprecation;
  /** For work whose length the caller's data decides, such as a recovery: it is not cut off after 10 s, only each of its reads and writes. */
  takesLong?: true;
  /** A sentence for callers that try a method of this path, or a path below it, which does not exist on purpose. */
  notOffered?: string;
};

/** What each parameter of the path is; required exactly where the handler takes any. */
type ParamsDescribed<Params> = unknown extends Params
  ? { params?: never }
  : { params: { readonly [Name in keyof Params]: StringSchema } };

type Definition<Caller, Params, Query, Body> = Described &
  ParamsDescribed<Params> & {
    query?: ObjectSchema<Query>;
    body?: ObjectSchema<Body>;
    /**
     * Of what operators change: reads what the call is about, for the audit, as they see it. Needed only where no GET of the
     * same path, or of the path without its last word, does (ADR 0018).
     */
    subject?: (params: Params) => Promise<unknown>;
    handle: (call: Call<Caller, Params, Query, Body>) => Promise<RouteResponse>;
  };

/** An endpoint as it is described, whoever serves it. */
export type Operation = Described & {
  params?: Readonly<Record<string, StringSchema>>;
  query?: ObjectSchema;
  body?: ObjectSchema;
  /** Present where nobody is asked for a key. */
  isPublic?: true;
};

/** One row of the route table: the whole interface of an endpoint, as data. */
export type Route<Caller> = Operation & {
  subject?: (params: Readonly<Record<string, string>>) => Promise<unknown>;
  handle: (call: Call<Caller, unknown, unknown, unknown>) => Promise<RouteResponse>;
};

/** States a route; the types of its input come from its schemas. */
export function route<Caller, Params = unknown, Query = unknown, Body = unknown>(
  definition: Definition<Caller, Params, Query, Body>,
): Route<Caller> {
  return definition as unknown as Route<Caller>;
}

export const ok = (body: unknown): RouteResponse => ({ status: 200, body });
export const created = (body: unknown): RouteResponse => ({ status: 201, body });
export const accepted = (body: unknown): RouteResponse => ({ status: 202, body });
export const noContent = (): RouteResponse => ({ status: 204 });

/** A listing; `next_cursor` only where the listing is paginated. */
export function listing(data: unknown[], nextCursor?: string | null): RouteResponse {
  const page = nextCursor === undefined ? {} : { next_cursor: nextCursor };
  return ok({ success: true, count: data.length, data, ...page });
}

/** Marks a response as the replay of an earlier one. */
export function replayable(response: RouteResponse, isReplay: boolean): RouteResponse {
  return isReplay
    ? { ...response, headers: { ...response.headers, 'Idempotent-Replayed': 'true' } }
    : response;
}
