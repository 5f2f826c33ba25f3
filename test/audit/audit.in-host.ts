import { operatorRoutes } from '../../src/main/admin-app.ts';
import { subjectReaderOf } from '../../src/operations/audit/audited-subject.ts';
import type { Service } from '../support/service.ts';

/**
 * The operator operations that change something, and whether the audit reads their subject. It reads no subject for an
 * operation that creates one.
 */
export function changingOperations(context: Service['context']) {
  const routes = operatorRoutes(context);
  return routes
    .filter(({ method }) => method !== 'get')
    .map((row) => ({
      method: row.method,
      path: row.path,
      operationId: row.operationId,
      creates: row.responses[201] !== undefined,
      isSubjectRead: subjectReaderOf(routes, row) !== undefined,
    }));
}
