import type { OperationId } from '../operation-types.ts';
import { OPERATIONS } from '../operations.ts';

export type Body = Record<string, unknown>;

export type ProxiedCall = {
  /** Undefined if no operation has this method and path. */
  operation: OperationId | undefined;
  method: string;
  path: string;
  /** The id in the path, or empty. */
  pathId: string;
  query: URLSearchParams;
  /** The parsed body; undefined unless it is a JSON object. */
  body: Body | undefined;
  /** The idempotency key, from the body or the header. */
  key: string | undefined;
  /** The time of arrival, by the monotonic clock. */
  atMs: number;
  /** The response of the sandbox or of a made-up venue, before any fault; undefined if there was none. */
  answer: { status: number; body: unknown } | undefined;
  /** Why the sandbox was not reached. */
  unreached: string | undefined;
  isFaulted: boolean;
};

/** A fault on the way to the service and back. */
export type Fault =
  /** The service performs the call; the proxy cuts the connection without a response. */
  | { kind: 'lost answer' }
  /** The service performs the call; the proxy delays the response. */
  | { kind: 'slow answer'; ms: number }
  /** The proxy resets the connection before the service sees the call. */
  | { kind: 'reset' }
  /** Replaces the response. `reaches`: the service performs the call. */
  | { kind: 'answer'; reaches: boolean; status: number; headers?: Record<string, string>; body?: unknown }
  /** Responds 200 with this body; the service sees nothing. */
  | { kind: 'made up'; body: (call: ProxiedCall) => unknown }
  /** Changes fields of the query; undefined removes a field. */
  | { kind: 'query'; query: (query: URLSearchParams) => Record<string, string | undefined> }
  /** Changes the JSON of a successful response. */
  | { kind: 'rewrite'; body: (body: Body, call: ProxiedCall) => unknown };

export type Rule = {
  isFor(call: ProxiedCall): boolean;
  fault: Fault;
  /** How many calls get the fault. Default: all. */
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

function operationOf(method: string, path: string): { id: OperationId; pathId: string } | undefined {
  for (const { id, pattern, ...route } of ROUTES) {
    const match = route.method === method ? pattern.exec(path) : null;
    if (match !== null) return { id, pathId: decodeURIComponent(match[1] ?? '') };
  }
  return undefined;
}

export const callsOf =
  (...operations: readonly OperationId[]) =>
  ({ operation }: ProxiedCall): boolean =>
    operation !== undefined && operations.includes(operation);

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
    query: url.searchParams,
    body,
    key: typeof bodyKey === 'string' ? bodyKey : headerKey,
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

/** The parsed JSON of a response; undefined if it is not JSON. */
export function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as unknown;
  } catch {
    return undefined;
  }
}
