import { DomainError } from '../../domain/errors.ts';
import type { Operator, Route } from '../../http/route.ts';
import { asStored } from '../../platform/ids.ts';

type AuditedCall = {
  action: string;
  /** The subject of the call as operators see it now; null if it is missing. */
  readSubject: () => Promise<unknown>;
};

type OperatorRoute = Route<Operator>;
type Params = Record<string, string>;

/**
 * Finds the route of a call and how to read its subject: by the route's own `subject`, else by the GET of the same path
 * or of the path without its last word (`/partners/{id}` for `/partners/{id}/certify`). A call that creates
 * an object has no subject.
 */
export function createAuditLookup(routes: readonly OperatorRoute[]) {
  const patterns = routes.map((route) => ({ route, pattern: patternOf(route.path) }));
  return (method: string, path: string, caller: Operator): AuditedCall | undefined => {
    const found = patterns.find(({ route, pattern }) => route.method === method.toLowerCase() && pattern.test(path));
    const params = found?.pattern.exec(path)?.groups;
    if (found === undefined) return undefined;
    const readSubject = subjectReaderOf(routes, found.route);
    return {
      action: found.route.operationId,
      readSubject: () => nullIfMissing(async () => (await readSubject?.(caller, decodeParams(params ?? {}))) ?? null),
    };
  };
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/:(\w+)/g, '(?<$1>[^/]+)')}/?$`, 'i');
}

/** The function that reads the subject of a route's calls; undefined if there is none. */
export function subjectReaderOf(
  routes: readonly OperatorRoute[],
  route: OperatorRoute,
): ((caller: Operator, params: Params) => Promise<unknown>) | undefined {
  const { subject } = route;
  if (subject !== undefined) return (_caller, params) => subject(params);
  if (route.responses[201] !== undefined) return undefined;
  const parent = route.path.replace(/\/\w[\w-]*$/, '');
  const reader = [route.path, parent]
    .map((path) => routes.find((each) => each.method === 'get' && each.path === path))
    .find((each) => each !== undefined && each.query === undefined);
  if (reader === undefined) return undefined;
  return async (caller, params) => (await reader.handle({ caller, params, query: {}, body: {} })).body;
}

/** The subject; null if it is missing. Rejects if the database is unavailable. */
async function nullIfMissing(read: () => Promise<unknown>): Promise<unknown> {
  try {
    return await read();
  } catch (err) {
    if (err instanceof DomainError || err instanceof URIError) return null;
    throw err;
  }
}

function decodeParams(params: Params): Params {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, asStored(decodeURIComponent(value))]));
}
