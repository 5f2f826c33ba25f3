/** An endpoint as Express names it: `/api/v1/partner/holds/:holdId`. */
export type Endpoint = { method: string; path: string };

type Layer = {
  route?: { path: string | string[]; methods: Record<string, boolean> };
  handle: { stack?: Layer[] };
};

/** All endpoints of an Express app and its routers. */
export function endpointsOf(app: unknown): Endpoint[] {
  return endpointsIn((app as { router: { stack: Layer[] } }).router.stack);
}

function endpointsIn(stack: readonly Layer[]): Endpoint[] {
  return stack.flatMap(({ route, handle }) => {
    if (route === undefined) return endpointsIn(handle.stack ?? []);
    return Object.keys(route.methods)
      .filter((method) => method !== '_all')
      .flatMap((method) => [route.path].flat().map((path) => ({ method: method.toUpperCase(), path })));
  });
}
