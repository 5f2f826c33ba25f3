import { operatorRoutes } from '../../src/main/admin-app.ts';
import { subjectReaderOf } from '../../src/operations/audit/audited-subject.ts';
import type { Service } from '../support/service.ts';

type Context = Service['context'];

/** The operations that change something that exists, each with whether what it is about is read. */
export async function changingOperations(context: Context): Promise<{ operationId: string; isSubjectRead: boolean }[]> {
  const routes = operatorRoutes(context);
  return routes
    .filter(({ method, responses }) => method !== 'get' && responses[201] === undefined)
    .map((row) => ({ operationId: row.operationId, isSubjectRead: subjectReaderOf(routes, row) !== undefined }));
}
