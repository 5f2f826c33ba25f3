import { accepted, type Operator, ok, paged, type Route, type RouteResponse, routesOf } from '../../http/route.ts';
import type { Db } from '../../platform/mongo.ts';
import { camelCased, omitUndefined } from '../../platform/objects.ts';
import { getSubscription } from '../subscriptions/require-subscription.service.ts';
import { operatorSubscriptionView } from '../subscriptions/subscription-view.rules.ts';
import { anySubscriptionIdParam, operatorSubscription } from '../subscriptions/subscriptions.schemas.ts';
import { activateSubscription } from '../subscriptions/subscriptions.service.ts';
import { deactivateSubscription } from './deactivate-subscription.service.ts';
import {
  discardDeadLetter,
  discardDeadLetters,
  redeliverDeadLetter,
  redeliverDeadLetters,
} from './dead-letters.service.ts';
import { operatorDeliveryView } from './delivery-view.rules.ts';
import * as schemas from './operator-deliveries.schemas.ts';
import { getDelivery, listDeliveries } from './read-deliveries.service.ts';
import type { RedeliveryDeps } from './redelivery.service.ts';

const webhooksRoute = routesOf<Operator>('Webhooks');
const deliveriesRoute = routesOf<Operator>('Deliveries');

const PREFIX = '/api/v1/operator';

export function operatorDeliveryRoutes(deps: RedeliveryDeps): Route<Operator>[] {
  const subject = async ({ id }: { id: string }) =>
    operatorSubscriptionView(await getSubscription(deps, undefined, id));
  return [
    webhooksRoute.post(`${PREFIX}/webhooks/:id/deactivate`, 'deactivateSubscription', {
      summary: 'Stop deliveries to a subscription',
      description:
        'Waiting deliveries are cancelled. The call takes about a second; after its response nothing more is sent. Partners cannot stop deliveries themselves.',
      params: { id: anySubscriptionIdParam },
      subject,
      responses: { 200: { description: 'The subscription, inactive.', body: operatorSubscription } },
      errors: ['WEBHOOK_NOT_FOUND'],
      handle: async ({ params }) => ok(operatorSubscriptionView(await deactivateSubscription(deps, params.id))),
    }),
    webhooksRoute.post(`${PREFIX}/webhooks/:id/activate`, 'activateSubscription', {
      summary: 'Let a subscription receive again',
      description: 'It receives events from now on. The partner can `recover` missed events.',
      params: { id: anySubscriptionIdParam },
      subject,
      responses: { 200: { description: 'The subscription, active.', body: operatorSubscription } },
      errors: ['WEBHOOK_NOT_FOUND', 'SUBSCRIPTION_EXISTS'],
      handle: async ({ params }) => ok(operatorSubscriptionView(await activateSubscription(deps, params.id))),
    }),
    deliveriesRoute.get(`${PREFIX}/deliveries`, 'listDeliveries', {
      summary: 'List deliveries to all partners, newest first',
      query: schemas.deliveriesQuery,
      responses: { 200: { description: 'A page of deliveries.', body: schemas.deliveryPage } },
      handle: async ({ query }) => deliveryListing(deps, query),
    }),
    deliveriesRoute.get(`${PREFIX}/deliveries/:id`, 'getAnyDelivery', {
      summary: 'Read a delivery with its attempts',
      params: { id: schemas.anyDeliveryIdParam },
      responses: { 200: { description: 'The delivery as it is now.', body: schemas.operatorDelivery } },
      errors: ['DELIVERY_NOT_FOUND'],
      handle: async ({ params }) => ok(operatorDeliveryView(await getDelivery(deps, undefined, params.id))),
    }),
    deliveriesRoute.get(`${PREFIX}/dead-letters`, 'listDeadLetters', {
      summary: 'List deliveries that failed after five attempts, newest first',
      query: schemas.deadLettersQuery,
      responses: { 200: { description: 'A page of dead letters.', body: schemas.deliveryPage } },
      handle: async ({ query }) => deliveryListing(deps, { ...query, status: 'dead_letter' }),
    }),
    ...deadLetterRoutes(deps),
  ];
}

function deadLetterRoutes(deps: RedeliveryDeps): Route<Operator>[] {
  const subject = async ({ id }: { id: string }) => operatorDeliveryView(await getDelivery(deps, undefined, id));
  return [
    deliveriesRoute.post(`${PREFIX}/dead-letters/redrive`, 'redriveDeadLetters', {
      summary: 'Redeliver many dead letters',
      description:
        'Each starts a new series of attempts, counted from 1, with the same event_id. Skips dead letters of inactive subscriptions, of suspended partners, and of venues that are not granted or not subscribed. Without any field: all dead letters.',
      body: schemas.redeliverBody,
      responses: { 202: { description: 'The attempts follow.', body: schemas.redriven } },
      errors: ['PARTNER_SUSPENDED', 'WEBHOOK_NOT_FOUND', 'WEBHOOK_INACTIVE'],
      takesLong: true,
      handle: async ({ body }) => accepted({ redriven: await redeliverDeadLetters(deps, camelCased(body)) }),
    }),
    deliveriesRoute.post(`${PREFIX}/dead-letters/:id/redrive`, 'redriveDeadLetter', {
      summary: 'Redeliver a dead letter',
      description: 'Starts a new series of attempts, counted from 1, with the same event_id.',
      params: { id: schemas.deadLetterIdParam },
      subject,
      responses: { 202: { description: 'The delivery; its attempts follow.', body: schemas.operatorDelivery } },
      errors: [
        'PARTNER_SUSPENDED',
        'VENUE_NOT_AUTHORIZED',
        'DELIVERY_NOT_FOUND',
        'DELIVERY_IN_PROGRESS',
        'WEBHOOK_NOT_FOUND',
        'WEBHOOK_INACTIVE',
      ],
      handle: async ({ params }) => accepted(operatorDeliveryView(await redeliverDeadLetter(deps, params.id))),
    }),
    deliveriesRoute.post(`${PREFIX}/dead-letters/discard`, 'discardDeadLetters', {
      summary: 'Discard many dead letters',
      description:
        'Discards all dead letters that match the fields. At least one field is required besides the reason.',
      body: schemas.discardManyBody,
      responses: { 200: { description: 'The dead letters are discarded.', body: schemas.discarded } },
      takesLong: true,
      handle: async ({ body: { reason, ...filters } }) =>
        ok({ discarded: await discardDeadLetters(deps, camelCased(filters), reason) }),
    }),
    deliveriesRoute.post(`${PREFIX}/dead-letters/:id/discard`, 'discardDeadLetter', {
      summary: 'Discard a dead letter',
      description:
        'It no longer counts as a dead letter and raises no alert. Use it if the event must not be delivered again, or the partner already has its content. The partner sees that it was discarded, and can still redeliver it.',
      params: { id: schemas.deadLetterIdParam },
      body: schemas.discardBody,
      subject,
      responses: { 200: { description: 'The delivery, discarded.', body: schemas.operatorDelivery } },
      errors: ['DELIVERY_NOT_FOUND', 'DELIVERY_IN_PROGRESS'],
      handle: async ({ params, body }) =>
        ok(operatorDeliveryView(await discardDeadLetter(deps, params.id, body.reason))),
    }),
  ];
}

async function deliveryListing(
  deps: { db: Db },
  { cursor, limit, status, ...filters }: schemas.DeliveriesQuery,
): Promise<RouteResponse> {
  const filter = { ...camelCased(filters), ...omitUndefined({ state: status }) };
  return paged(await listDeliveries(deps, filter, cursor, limit), operatorDeliveryView);
}
