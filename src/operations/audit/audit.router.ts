import { type Operator, paged, type Route, routesOf } from '../../http/route.ts';
import type { Db } from '../../platform/mongo.ts';
import type { AuditRow } from './audit.model.ts';
import { auditPage, auditQuery } from './audit.schemas.ts';
import { listActions } from './audit.service.ts';

const operatorRoute = routesOf<Operator>('Audit');

export function auditRoutes(deps: { db: Db }): Route<Operator>[] {
  return [
    operatorRoute.get('/api/v1/operator/audit', 'listActions', {
      summary: 'List the actions of operators, newest first',
      query: auditQuery,
      responses: { 200: { description: 'A page of actions, including rejected ones.', body: auditPage } },
      handle: async ({ query: { cursor, limit, ...asked } }) =>
        paged(await listActions(deps, asked, cursor, limit), actionView),
    }),
  ];
}

function actionView(row: AuditRow): Record<string, unknown> {
  return {
    id: row._id,
    at: row.at.toISOString(),
    who: row.who,
    key_id: row.keyId ?? null,
    address: row.address ?? null,
    attempts: row.attempts ?? 1,
    action: row.action,
    method: row.method,
    path: row.path,
    reason: row.reason ?? null,
    request_id: row.requestId,
    server_request_id: row.serverRequestId ?? null,
    status: row.status,
    error_code: row.errorCode,
    before: row.before,
    after: row.after,
  };
}
