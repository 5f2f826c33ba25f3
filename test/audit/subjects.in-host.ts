import { operatorRoutes } from '../../src/main/admin-app.ts';
import { subjectReaderOf } from '../../src/operations/audit/audited-subject.ts';
import type { Service } from '../support/service.ts';

type Context = Service['context'];

/** The operations that change something that exists, each with whether what it is about is read. */
export async function changingOperations(
  context: Context,
): Promise<{ operationId: string; isSubjectRead: boolean }[]> {
  const routes = operatorRoutes(context);
  return routes
    .filter(({ method, responses }) => method !== 'get' && responses[201] === undefined)
    .map((row) => ({
      operationId: row.operationId,
      isSubjectRead: subjectReaderOf(routes, row) !== undefined,
    }));
}

/** Whether what an operation is about is read, and would be if its row had no subject. */
export async function isReadWithAndWithout(
  context: Context,
  operationId: string,
): Promise<{ withSubject: boolean; without: boolean }> {
  const routes = operatorRoutes(context);
  const row = routes.find((each) => each.operationId === operationId);
  if (row === undefined) throw new Error('There is no such operation');
  const { subject: _, ...bare } = row;
  return {
    withSubject: subjectReaderOf(routes, row) !== undefined,
    without: subjectReaderOf(routes, bare) !== undefined,
  };
}
