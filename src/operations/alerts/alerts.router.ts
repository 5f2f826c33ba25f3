import { type Operator, paged, type Route, routesOf } from '../../http/route.ts';
import type { Db } from '../../platform/mongo.ts';
import { alertView } from './alert-text.rules.ts';
import { alertPage, alertsQuery } from './alerts.schemas.ts';
import { listAlerts } from './alerts.service.ts';

const operatorRoute = routesOf<Operator>('Alerts');

export function alertRoutes(deps: { db: Db }): Route<Operator>[] {
  return [
    operatorRoute.get('/api/v1/operator/alerts', 'listAlerts', {
      summary: 'List alerts, newest first',
      description: 'Open alerts, unless `status` says otherwise. Resolved alerts are kept for 90 days.',
      query: alertsQuery,
      responses: { 200: { description: 'A page of alerts.', body: alertPage } },
      handle: async ({ query: { cursor, limit, ...filter } }) =>
        paged(await listAlerts(deps.db, filter, cursor, limit), alertView),
    }),
  ];
}
