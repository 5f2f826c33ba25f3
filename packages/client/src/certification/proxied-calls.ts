import type { OperationId } from '../operation-types.ts';
import { OPERATIONS } from '../operations.ts';

export type Body = Record<string, unknown>;

/** A call of the integration, as it passed the proxy. */
export type ProxiedCall = {
  /** Undefined where the interface has no such operation. */
  operation: OperationId | undefined;
  method: string;
  path: string;
  /** The id in its path; empty where it has none. */
  pathId: string;
  query: URLSearchParams;
  /** Undefined where it was not a JSON object. */
  body: Body | undefined;
  /** Its idempotency key, in the body or the header. */
  key: string | undefined;
  /** Of the monotonic clock, when it came. */
  atMs: number;
  /** What the service answered, whatever became of that on its way; undefined where it never saw the call. */
  answer: { status: number; body: unknown } | undefined;
  /** Why the service did not answer; undefined where it did, or was not asked. */
  unreached: string | undefined;
  /** Whether a fault was put into it. */
  isFaulted: boolean;
};

/** What becomes of a call on its way to the service and back. */
export type Fault =
  /** The service carries it out; the connection is cut without a response. */
  | { kind: 'lost answer' }
  /** The service carries it out; its response comes so much later. */
  | { kind: 'slow answer'; ms: number }
  /** The connection is reset; the service never sees it. */
  | { kind: 'reset' }
  /** This comes instead of the service's response; `reaches` says whether the service carries it out. */
  | { kind: 'answer'; reaches: boolean; status: number; headers?: Record<string, string>; body?: unknown }
  /** A 200 with this body comes; the service never sees the call. */
  | { kind: 'made'; body: (call: ProxiedCall) => unknown }
  /** The service is asked with these fields of the query instead; undefined leaves one out. */
  | { kind: 'ask'; query: (asked: URLSearchParams) => Record<string, string | undefined> }
  /** The JSON of a success is changed. */
  | { kind: 'rewrite'; body: (body: Body, call: ProxiedCall) => unknown };

/** Puts a fault into the calls that it is for. */
export type Rule = {
  isFor(call: ProxiedCall): boolean;
  fault: Fault;
  /** How many calls it is for; all unless stated. */
  times?: number;
};

const ROUTES = Object.entries(OPERATIONS).map(([id, row]) => {
  const [method = '', path = ''] = row.split(' ');
  return {
    id: id as OperationId,
    method,
    pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '([^/]+)')}$`),
  };
});

/** The operation that a method and path call, and the id in its path. */
function operationOf(method: string, path: string): { id: OperationId; pathId: string } | undefined {
  for (const { id, pattern, ...route } of ROUTES) {
    const match = route.method === method ? pattern.exec(path) : null;
    if (match !== null) return { id, pathId: decodeURIComponent(match[1] ?? '') };
  }
  return undefined;
}

/** Rules for calls of these operations. */
export const callsOf =
  (...operations: readonly OperationId[]) =>
  ({ operation }: ProxiedCall): boolean =>
    operation !== undefined && operations.includes(operation);

/** The parts of a call that its first line, headers and body say. */
export function readCall(
  method: string,
  target: string,
  headerKey: string | undefined,
  bytes: Uint8Array,
): ProxiedCall {
  const url = new URL(target, 'http://proxy');
  const body = jsonObject(bytes);
  const bodyKey = body?.['idempotency_key'];
  const { id: operation, pathId = '' } = operationOf(method, url.pathname) ?? {};
  return {
    operation,
    method,
    path: url.pathname,
    pathId,
    ...{ query: url.searchParams, body, key: typeof bodyKey === 'string' ? bodyKey : headerKey },
    atMs: performance.now(),
    answer: undefined,
    unreached: undefined,
    isFaulted: false,
  };
}

function jsonObject(bytes: Uint8Array): Body | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Body) : undefined;
  } catch {
    return undefined;
  }
}

/** The JSON of a response; undefined where it is none. */
export function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as unknown;
  } catch {
    return undefined;
  }
}
