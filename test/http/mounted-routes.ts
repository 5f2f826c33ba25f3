import { createAdminApp } from '../../src/apps/admin-app.ts';
import { createPartnerApp } from '../../src/apps/partner-app.ts';
import type { Client } from '../support/client.ts';
import type { Partner } from '../support/factories.ts';
import { operatorOf } from '../support/factories.ts';
import type { Service } from '../support/service.ts';

/** An endpoint as Express has it: `/api/v1/partner/holds/:holdId`. */
export type Endpoint = { method: string; path: string };
export type Mounted = Endpoint & { api: Client };

type Layer = {
  route?: { path: string | string[]; methods: Record<string, boolean> };
  handle: { stack?: Layer[] };
};

/** Every endpoint of both listeners under `/api/`, read from the apps themselves so that none is forgotten. */
export function mountedRoutes(service: Service, partner: Partner): Mounted[] {
  const of = (app: unknown, api: Client): Mounted[] =>
    endpointsOf(app)
      .filter(({ path }) => path.startsWith('/api/'))
      .map((endpoint) => ({ ...endpoint, api }));
  return [
    ...of(createPartnerApp(service.context), partner.api),
    ...of(createAdminApp(service.context), operatorOf(service)),
  ];
}

/** Every endpoint of an Express app, and of the routers in it. */
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
