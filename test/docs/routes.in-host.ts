import { apiDocuments, routeTables } from '../../scripts/docs/documents.ts';
import { exampleOf } from '../../src/http/openapi/json-schema.ts';
import { createAdminApp } from '../../src/main/admin-app.ts';
import { createPartnerApp } from '../../src/main/partner-app.ts';
import { type Endpoint, endpointsOf } from '../http/mounted-routes.ts';
import type { Service } from '../support/service.ts';

type Context = Service['context'];

/** Every endpoint of both listeners under `/api/`, read from the apps themselves so that none is forgotten. */
export const listMounted = (context: Context): Endpoint[] =>
  [createPartnerApp(context), createAdminApp(context)]
    .flatMap(endpointsOf)
    .filter(({ path }) => path.startsWith('/api/'));

export const describeApis = (_context: Context): ReturnType<typeof apiDocuments> => apiDocuments();

/** What the schema that reads a body says of its example, of every route with a body. */
export const tryExamples = (_context: Context): { operationId: string; fault: string | null }[] =>
  Object.values(routeTables())
    .flat()
    .flatMap(({ operationId, body }) => {
      if (body === undefined) return [];
      const { error } = body.validate(exampleOf(body), { convert: false });
      return [{ operationId, fault: error?.message ?? null }];
    });
