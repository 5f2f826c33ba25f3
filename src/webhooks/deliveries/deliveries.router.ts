import { accepted, ok, type Route, routesOf } from '../../http/route.ts';
import type { PartnerCaller } from '../../partners/partners.service.ts';
import type { Clock } from '../../platform/clock.ts';
import { camelCased } from '../../platform/objects.ts';
import { encodeCursor } from '../../platform/pagination.ts';
import { subscriptionIdParam } from '../subscriptions/subscriptions.schemas.ts';
import * as schemas from './deliveries.schemas.ts';
import { deliveryView } from './delivery-view.rules.ts';
import { listQuery, observability } from './observability.schemas.ts';
import { readHealth } from './observability.service.ts';
import { getDelivery, listDeliveries } from './read-deliveries.service.ts';
import { recoverDeliveries } from './recover-deliveries.service.ts';
import { type RedeliveryDeps, redeliver } from './redelivery.service.ts';
import { sendTestEvent } from './test-event.service.ts';

const webhooksRoute = routesOf<PartnerCaller>('Webhooks');
const observabilityRoute = routesOf<PartnerCaller>('Observability');

type Deps = RedeliveryDeps & { clock: Clock };

export function deliveryRoutes(deps: Deps): Route<PartnerCaller>[] {
  return [
    webhooksRoute.post('/api/v1/partner/webhooks/:id/test', 'sendTestEvent', {
      summary: 'Send a sample event to a subscription',
      description:
        'The sample is signed, retried and listed like any delivery, and has `details.test: true`. It is not in the feed.',
      params: { id: subscriptionIdParam },
      body: schemas.testBody,
      responses: {
        202: {
          description: 'The delivery of the sample; its attempt follows.',
          body: schemas.delivery,
          example: schemas.waitingDelivery({ test: true }),
        },
      },
      errors: ['WEBHOOK_NOT_FOUND', 'WEBHOOK_INACTIVE'],
      handle: async ({ caller, params, body }) =>
        accepted(deliveryView(await sendTestEvent(deps, caller.partnerId, params.id, body.event_type))),
    }),
    webhooksRoute.post('/api/v1/partner/webhooks/:id/recover', 'recoverDeliveries', {
      summary: 'Recover the deliveries that a subscription missed',
      description:
        'Delivers every subscribed event from `since` to `until` that has no success, including those that wait for a retry. Repeating the call is safe. During one recovery, a call for another period is 429. event_id stays the same; the current secret signs.',
      params: { id: subscriptionIdParam },
      body: schemas.recoverBody(() => deps.clock.now()),
      responses: { 202: { description: 'The deliveries follow.', body: schemas.recovered } },
      errors: ['WEBHOOK_NOT_FOUND', 'WEBHOOK_INACTIVE'],
      takesLong: true,
      handle: async ({ caller, params, body }) =>
        accepted({ recovered: await recoverDeliveries(deps, caller.partnerId, params.id, body) }),
    }),
  ];
}

export function observabilityRoutes(deps: Deps): Route<PartnerCaller>[] {
  return [
    observabilityRoute.get('/api/v1/partner/observability', 'getObservability', {
      summary: 'Read the state of your deliveries, and list dead letters or other deliveries',
      query: listQuery,
      responses: {
        200: { description: 'The state of your deliveries, and a page of them.', body: observability },
      },
      handle: async ({ caller: { partnerId }, query }) => {
        const { status, limit, cursor, ...filters } = query;
        const state = status === 'all' ? {} : { state: status };
        const filter = { partnerId, ...state, ...camelCased(filters) };
        const { rows, next } = await listDeliveries(deps, filter, cursor, limit);
        const health = await readHealth(deps, partnerId);
        const data = rows.map(deliveryView);
        return ok({ success: true, ...health, count: data.length, data, next_cursor: encodeCursor(next) });
      },
    }),
    observabilityRoute.get('/api/v1/partner/observability/deliveries/:id', 'getDelivery', {
      summary: 'Read a delivery with its attempts',
      params: { id: schemas.deliveryIdParam },
      responses: { 200: { description: 'The delivery as it is now.', body: schemas.delivery } },
      errors: ['DELIVERY_NOT_FOUND'],
      handle: async ({ caller, params }) => ok(deliveryView(await getDelivery(deps, caller.partnerId, params.id))),
    }),
    observabilityRoute.post('/api/v1/partner/observability/deliveries/:id/redeliver', 'redeliver', {
      summary: 'Redeliver an event now',
      description:
        'Starts a new series of up to five attempts, numbered from 1, also for a delivery that succeeded or waits for a retry. event_id stays the same; the current secret signs. 409 during an attempt.',
      params: { id: schemas.deliveryIdParam },
      responses: {
        202: {
          description: 'The delivery; its attempts follow.',
          body: schemas.delivery,
          example: schemas.waitingDelivery(),
        },
      },
      errors: [
        'VENUE_NOT_AUTHORIZED',
        'DELIVERY_NOT_FOUND',
        'WEBHOOK_NOT_FOUND',
        'DELIVERY_IN_PROGRESS',
        'WEBHOOK_INACTIVE',
      ],
      handle: async ({ caller, params }) => accepted(deliveryView(await redeliver(deps, caller.partnerId, params.id))),
    }),
  ];
}
