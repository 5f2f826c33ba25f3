import { createAdminApp } from '../../src/main/admin-app.ts';
import { createPartnerApp } from '../../src/main/partner-app.ts';
import { type Endpoint, endpointsOf } from '../http/mounted-routes.ts';
import type { Service } from '../support/service.ts';

/** Every endpoint of both listeners under `/api/`, read from the apps so that none is missed. */
export const listMounted = (context: Service['context']): Endpoint[] =>
  [createPartnerApp(context), createAdminApp(context)]
    .flatMap(endpointsOf)
    .filter(({ path }) => path.startsWith('/api/'));
