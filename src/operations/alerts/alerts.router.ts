import { listing, type Operator, type Route, route } from '../../http/route.ts';
import type { Db } from '../../platform/mongo.ts';
import { encodeCursor } from '../../platform/pagination.ts';
import { alertView } from './alert-text.rules.ts';
import { type AlertsQuery, alertPage, alertsQuery } from './alerts.schemas.ts';
import { listAlerts } from './alerts.service.ts';

export function alertRoutes(deps: { db: Db }): Route<Operator>[] {
  return [
    route<Operator, unknown, AlertsQuery>({
      method: 'get',
      path: '/api/v1/operator/alerts',
      operationId: 'listAlerts',
      tag: 'Alerts',
      summary: 'List alerts, newest first',
      description: 'Open alerts, unless `status` says otherwise. Resolved alerts are kept for 90 days.',
      query: alertsQuery,
      responses: { 200: { description: 'A page of alerts.', body: alertPage } },
      errors: [],
      handle: async ({ query: { cursor, limit, ...filter } }) => {
        const { rows, next } = await listAlerts(deps.db, filter, cursor, limit);
        return listing(rows.map(alertView), encodeCursor(next));
      },
    }),
  ];
}
