import type { Request, Response } from 'express';
import type { ObjectSchema } from 'joi';

/** Finds out who calls; what it throws is the answer. */
export type Authenticate<Caller> = (req: Request, res: Response) => Promise<Caller>;

/** What a handler is given: all of it checked, nothing else of the request. */
export type Call<Caller, Params, Query, Body> = { caller: Caller; params: Params; query: Query; body: Body };

/** What a handler answers; `body` is sent as JSON, absent with 204. */
export type Answer = { status: number; body?: unknown; headers?: Record<string, string> };

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

type Definition<Caller, Params, Query, Body> = {
  method: Method;
  path: string;
  summary: string;
  query?: ObjectSchema<Query>;
  body?: ObjectSchema<Body>;
  handle: (call: Call<Caller, Params, Query, Body>) => Promise<Answer>;
};

/** One row of the route table: the whole interface of an endpoint, as data. */
export type Route<Caller> = Definition<Caller, unknown, unknown, unknown>;

/** States a route; the types of its input come from its schemas. */
export function route<Caller, Params = unknown, Query = unknown, Body = unknown>(
  definition: Definition<Caller, Params, Query, Body>,
): Route<Caller> {
  return definition as Route<Caller>;
}

export const ok = (body: unknown): Answer => ({ status: 200, body });
export const created = (body: unknown): Answer => ({ status: 201, body });
export const noContent = (): Answer => ({ status: 204 });

/** A listing (decisions §1); `next_cursor` only where the listing is paginated. */
export function listing(data: unknown[], nextCursor?: string | null): Answer {
  const page = nextCursor === undefined ? {} : { next_cursor: nextCursor };
  return ok({ success: true, count: data.length, data, ...page });
}

/** Marks an answer as the replay of an earlier one (decisions §4). */
export function replayable(answer: Answer, isReplay: boolean): Answer {
  return isReplay ? { ...answer, headers: { ...answer.headers, 'Idempotent-Replayed': 'true' } } : answer;
}
