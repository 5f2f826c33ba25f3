import type { OPERATIONS } from './operations.ts';
import type { components, operations } from './schema.d.ts';

/** The schemas of the interface by name, such as `Schemas['Hold']`. */
export type Schemas = components['schemas'];

export type OperationId = keyof typeof OPERATIONS;

type BodyOf<Content> = Content extends { content: { 'application/json': infer Body } } ? Body : never;

/** Makes idempotency_key optional: the client generates a missing one. */
type WithKeyOptional<Body> = Body extends { idempotency_key: string }
  ? Omit<Body, 'idempotency_key'> & { idempotency_key?: string }
  : Body;

type Parts<Id extends OperationId> = {
  path: operations[Id]['parameters']['path'];
  query: operations[Id]['parameters']['query'];
  body:
    | WithKeyOptional<BodyOf<NonNullable<operations[Id]['requestBody']>>>
    | Extract<operations[Id]['requestBody'], undefined>;
};

/** The names of the parts that an operation requires or, with `false`, of those that are optional. */
type NamesOf<All, IsRequired> = {
  [Name in keyof All]: [NonNullable<All[Name]>] extends [never]
    ? never
    : undefined extends All[Name]
      ? IsRequired extends true
        ? never
        : Name
      : IsRequired extends true
        ? Name
        : never;
}[keyof All];

/** The input of an operation: its `path`, `query` and `body`, if it has them. */
export type Input<Id extends OperationId> = { [Name in NamesOf<Parts<Id>, true>]: Parts<Id>[Name] } & {
  [Name in NamesOf<Parts<Id>, false>]?: NonNullable<Parts<Id>[Name]>;
};

/** The body of an operation's successful response. */
export type Success<Id extends OperationId> = {
  [Status in keyof operations[Id]['responses'] & (200 | 201 | 202)]: BodyOf<operations[Id]['responses'][Status]>;
}[keyof operations[Id]['responses'] & (200 | 201 | 202)];

export type CallOptions = {
  /** Ends the call and its retries; the call rejects with the signal's reason. */
  signal?: AbortSignal;
  /** X-Request-Id of every attempt, for your log and the service's: 1 to 128 characters of `A-Z a-z 0-9 . _ -`. */
  requestId?: string;
};

type Arguments<Id extends OperationId> = keyof Input<Id> extends never
  ? [input?: Record<string, never>, options?: CallOptions]
  : Partial<Input<Id>> extends Input<Id>
    ? [input?: Input<Id>, options?: CallOptions]
    : [input: Input<Id>, options?: CallOptions];

export type Methods = {
  [Id in OperationId]: (...args: Arguments<Id>) => Promise<Success<Id>>;
};

/** The operations that return pages. */
export type PagedOperationId = {
  [Id in OperationId]: Success<Id> extends { next_cursor: string | null } ? Id : never;
}[OperationId];
