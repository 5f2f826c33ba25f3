import { createAdminApp } from '../../src/admin-app.ts';
import { createPartnerApp } from '../../src/partner-app.ts';
import type { Client } from '../support/client.ts';
import type { Partner } from '../support/factories.ts';
import { operatorOf } from '../support/factories.ts';
import type { Service } from '../support/service.ts';

/** An endpoint as Express has it: `/api/v1/partner/holds/:holdId`. */
export type Mounted = { method: string; path: string; api: Client };

type Layer = { route?: { path: string; methods: Record<string, boolean> } };

/** Every endpoint under `/api/` of both listeners, read from the apps themselves so that none is forgotten. */
export function mountedRoutes(service: Service, partner: Partner): Mounted[] {
  const of = (app: unknown, api: Client): Mounted[] =>
    (app as { router: { stack: Layer[] } }).router.stack.flatMap(({ route }) =>
      route === undefined || !route.path.startsWith('/api/')
        ? []
        : Object.keys(route.methods)
            .filter((method) => method !== '_all')
            .map((method) => ({ method: method.toUpperCase(), path: route.path, api })),
    );
  return [
    ...of(createPartnerApp(service.context), partner.api),
    ...of(createAdminApp(service.context), operatorOf(service)),
  ];
}

/** The path with every parameter replaced by `value`. */
export function pathWith(path: string, value: string): string {
  return path.replace(/:\w+/g, value);
}
