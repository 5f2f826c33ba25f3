import type { Request, Response } from 'express';
import type { ObjectSchema, Schema, StringSchema } from 'joi';
import type { Cause } from '../domain/change-origin.ts';
import type { ErrorCode } from '../domain/errors.ts';
import { encodeCursor, type Page } from '../platform/pagination.ts';

export type SignedIn = { via: 'api-key' | 'session'; keyId: string };

export type Operator = SignedIn & Cause;

/** Identifies the caller; a thrown error becomes the response. */
export type Authenticate<Caller> = (req: Request, res: Response) => Promise<Caller>;

export type Call<Caller, Params, Query, Body> = { caller: Caller; params: Params; query: Query; body: Body };

export type RouteResponse = { status: number; body?: unknown; headers?: Record<string, string> };

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** Headers that only some responses have; the API description adds those that every response has. */
type ResponseHeader = 'ETag' | 'Idempotent-Replayed';

/** The description of a response; 204 and 304 have no body. */
export type ResponseDescription = {
  description: string;
  body?: Schema;
  /** Replaces the example of the body's schema. */
  example?: Record<string, unknown>;
  headers?: readonly ResponseHeader[];
};

/** A deprecated endpoint; dates are `YYYY-MM-DD` at midnight UTC. */
export type Deprecation = { since: string; sunset?: string; guide: string };

type Described = {
  summary: string;
  description?: string;
  responses: Readonly<Record<number, ResponseDescription>>;
  deprecation?: Deprecation;
  /**
   * For work of unbounded length, such as a recovery: the time limit applies to each read and write, not to the call.
   */
  takesLong?: true;
  /** The message for calls to a method or subpath of this path that the API deliberately omits. */
  notOffered?: string;
};

/** The names of the parameters in a path, such as `id` in `/venues/:id`. */
type ParamIn<Path> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer More}`
    ? Name | ParamIn<More>
    : Rest
  : never;

type Definition<Caller, Param extends string, Query, Body> = Described &
  ([Param] extends [never] ? { params?: never } : { params: Readonly<Record<Param, StringSchema>> }) & {
    /**
     * The codes of this endpoint's own rules. The generator adds codes of authentication, validation, rate limits and
     * faults.
     */
    errors?: readonly ErrorCode[];
    query?: ObjectSchema<Query>;
    body?: ObjectSchema<Body>;
    /** For the audit: reads what the call changes. Needed if no GET of this path or its parent reads it (ADR 0018). */
    subject?: (params: Record<Param, string>) => Promise<unknown>;
    handle: (call: Call<Caller, Record<Param, string>, Query, Body>) => Promise<RouteResponse>;
  };

export type Operation = Described & {
  method: Method;
  path: string;
  /**
   * The operation id: a verb of the domain in camelCase, unique on its listener. Generated clients name methods after
   * it.
   */
  operationId: string;
  tag: string;
  errors: readonly ErrorCode[];
  params?: Readonly<Record<string, StringSchema>>;
  query?: ObjectSchema;
  body?: ObjectSchema;
  isPublic?: true;
};

export type Route<Caller> = Operation & {
  subject?: (params: Readonly<Record<string, string>>) => Promise<unknown>;
  handle: (call: Call<Caller, unknown, unknown, unknown>) => Promise<RouteResponse>;
};

/** Defines the routes of a tag, such as `get(path, operationId, …)`. Path and schemas give the types of their input. */
export function routesOf<Caller>(tag: string) {
  const withMethod =
    (method: Method) =>
    <const Path extends string, Query = unknown, Body = unknown>(
      path: Path,
      operationId: string,
      definition: Definition<Caller, ParamIn<Path>, Query, Body>,
    ): Route<Caller> =>
      ({ method, path, operationId, tag, errors: [], ...definition }) as unknown as Route<Caller>;
  return {
    get: withMethod('get'),
    post: withMethod('post'),
    put: withMethod('put'),
    patch: withMethod('patch'),
    delete: withMethod('delete'),
  };
}

export const ok = (body: unknown): RouteResponse => ({ status: 200, body });
export const created = (body: unknown): RouteResponse => ({ status: 201, body });
export const accepted = (body: unknown): RouteResponse => ({ status: 202, body });
export const noContent = (): RouteResponse => ({ status: 204 });

/** A listing without pages. */
export const listing = (data: unknown[]): RouteResponse => ok({ success: true, count: data.length, data });

/** A page of a listing; `nextCursor` is null on the last page. */
export const page = (data: unknown[], nextCursor: string | null): RouteResponse =>
  ok({ success: true, count: data.length, data, next_cursor: nextCursor });

/** `page` for rows with a view. */
export const paged = <Row>({ rows, next }: Page<Row>, view: (row: Row) => unknown): RouteResponse =>
  page(
    rows.map((row) => view(row)),
    encodeCursor(next),
  );

export function replayable(response: RouteResponse, isReplay: boolean): RouteResponse {
  return isReplay ? { ...response, headers: { ...response.headers, 'Idempotent-Replayed': 'true' } } : response;
}
