import type { Route } from '../../http/route.ts';
import { accepted, ok, route } from '../../http/route.ts';
import type { PartnerCaller } from '../../partners/partners.service.ts';
import type { Clock } from '../../platform/clock.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import { encodeCursor } from '../../platform/pagination.ts';
import { delivery, deliveryIdParam, waitingDelivery } from '../deliveries/deliveries.schemas.ts';
import { deliveryView } from '../deliveries/delivery-view.rules.ts';
import { getDelivery, listDeliveries } from '../deliveries/read-deliveries.service.ts';
import type { RedeliveryDeps } from '../deliveries/redelivery.service.ts';
import { redeliver } from '../deliveries/redelivery.service.ts';
import type { ListQuery } from './observability.schemas.ts';
import { listQuery, observability } from './observability.schemas.ts';
import { readHealth } from './observability.service.ts';

/** What a partner sees of its deliveries. */
export function observabilityRoutes(deps: RedeliveryDeps & { clock: Clock }): Route<PartnerCaller>[] {
  return [
    route<PartnerCaller, unknown, ListQuery>({
      method: 'get',
      path: '/api/v1/partner/observability',
      operationId: 'getObservability',
      tag: 'Observability',
      summary: 'Read the state of your deliveries, and list dead letters or others',
      query: listQuery,
      responses: {
        200: { description: 'The state of your deliveries, and a page of them.', body: observability },
      },
      errors: [],
      handle: async ({ caller: { partnerId }, query }) => {
        const filter = omitUndefined({
          state: query.status === 'all' ? undefined : query.status,
          eventType: query.event_type,
          subscriptionId: query.subscription_id,
        });
        const page = { partnerId, ...filter };
        const { rows, next } = await listDeliveries(deps, page, query.cursor, query.limit);
        const health = await readHealth(deps, partnerId);
        const data = rows.map(deliveryView);
        return ok({ success: true, ...health, count: data.length, data, next_cursor: encodeCursor(next) });
      },
    }),
    route<PartnerCaller, { id: string }>({
      method: 'get',
      path: '/api/v1/partner/observability/deliveries/:id',
      operationId: 'getDelivery',
      tag: 'Observability',
      summary: 'Read a delivery with its attempts',
      params: { id: deliveryIdParam },
      responses: { 200: { description: 'The delivery as it is now.', body: delivery } },
      errors: ['DELIVERY_NOT_FOUND'],
      handle: async ({ caller, params }) =>
        ok(deliveryView(await getDelivery(deps, caller.partnerId, params.id))),
    }),
    route<PartnerCaller, { id: string }>({
      method: 'post',
      path: '/api/v1/partner/observability/deliveries/:id/redeliver',
      operationId: 'redeliver',
      tag: 'Observability',
      summary: 'Redeliver an event now',
      description:
        'Starts five new attempts, numbered from 1, also for a delivery that succeeded or waits for a retry. event_id stays the same; the current secret signs. 409 during an attempt.',
      params: { id: deliveryIdParam },
      responses: {
        202: {
          description: 'The delivery; its attempts follow.',
          body: delivery,
          example: waitingDelivery(),
        },
      },
      errors: ['VENUE_NOT_AUTHORIZED', 'DELIVERY_NOT_FOUND', 'DELIVERY_IN_PROGRESS', 'WEBHOOK_INACTIVE'],
      handle: async ({ caller, params }) =>
        accepted(deliveryView(await redeliver(deps, caller.partnerId, params.id))),
    }),
  ];
}
