import Joi from 'joi';
import { EVENT_TYPES } from '../events/event-types.ts';
import { cursor, pageLimit, uuid } from '../http/fields.ts';
import type { Route } from '../http/route.ts';
import { accepted, ok, route } from '../http/route.ts';
import type { PartnerCaller } from '../partners/partners.service.ts';
import { defined } from '../platform/defined.ts';
import type { Position } from '../platform/pagination.ts';
import { encodeCursor } from '../platform/pagination.ts';
import { getDelivery, listDeliveries } from '../webhooks/deliveries.service.ts';
import { deliveryView } from '../webhooks/delivery-view.rules.ts';
import type { RedeliveryDeps } from '../webhooks/redelivery.service.ts';
import { redeliver } from '../webhooks/redelivery.service.ts';
import { readHealth } from './observability.service.ts';

type ListQuery = {
  status: 'pending' | 'retrying' | 'succeeded' | 'dead_letter' | 'all';
  event_type?: string;
  subscription_id?: string;
  limit: number;
  cursor?: Position;
};

const listQuery = Joi.object<ListQuery>({
  status: Joi.string().valid('pending', 'retrying', 'succeeded', 'dead_letter', 'all').default('dead_letter'),
  event_type: Joi.string().valid(...EVENT_TYPES),
  subscription_id: uuid(),
  limit: pageLimit(),
  cursor: cursor(),
});

/** Contract "Observability", decisions §7. */
export function observabilityRoutes(deps: RedeliveryDeps): Route<PartnerCaller>[] {
  return [
    route<PartnerCaller, unknown, ListQuery>({
      method: 'get',
      path: '/api/v1/partner/observability',
      summary: 'See how your deliveries fare; lists dead letters unless asked for others',
      query: listQuery,
      handle: async ({ caller: { partnerId }, query }) => {
        const filter = defined({
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
      summary: 'Read a delivery with its attempts',
      handle: async ({ caller, params }) =>
        ok(deliveryView(await getDelivery(deps, caller.partnerId, params.id))),
    }),
    route<PartnerCaller, { id: string }>({
      method: 'post',
      path: '/api/v1/partner/observability/deliveries/:id/redeliver',
      summary: 'Deliver again what has ended',
      handle: async ({ caller, params }) =>
        accepted(deliveryView(await redeliver(deps, caller.partnerId, params.id))),
    }),
  ];
}
