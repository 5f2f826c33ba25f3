import { accepted, listing, type Operator, ok, type Route, route } from '../../http/route.ts';
import type { Db } from '../../platform/mongo.ts';
import { omitUndefined } from '../../platform/objects.ts';
import { encodeCursor } from '../../platform/pagination.ts';
import { getAnySubscription } from '../subscriptions/require-subscription.service.ts';
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
import {
  anyDeliveryIdParam,
  type DeadLettersQuery,
  type DeliveriesQuery,
  type DiscardBody,
  deadLetterIdParam,
  deadLettersQuery,
  deliveriesQuery,
  deliveryPage,
  discardBody,
  discarded,
  discardManyBody,
  operatorDelivery,
  type RedeliverBody,
  redeliverBody,
  redriven,
} from './operator-deliveries.schemas.ts';
import { getDelivery, listDeliveries } from './read-deliveries.service.ts';
import type { RedeliveryDeps } from './redelivery.service.ts';

const PREFIX = '/api/v1/operator';

export function operatorDeliveryRoutes(deps: RedeliveryDeps): Route<Operator>[] {
  return [...subscriptionRoutes(deps), ...deliveryRoutes(deps), ...deadLetterRoutes(deps)];
}

function subscriptionRoutes(deps: { db: Db }): Route<Operator>[] {
  const subject = async ({ id }: { id: string }) => operatorSubscriptionView(await getAnySubscription(deps, id));
  return [
    route<Operator, { id: string }>({
      method: 'post',
      path: `${PREFIX}/webhooks/:id/deactivate`,
      operationId: 'deactivateSubscription',
      tag: 'Webhooks',
      summary: 'Stop deliveries to a subscription',
      description:
        'Waiting deliveries are cancelled. The call takes about a second; after its response nothing more is sent. Partners cannot stop deliveries themselves.',
      params: { id: anySubscriptionIdParam },
      subject,
      responses: { 200: { description: 'The subscription, inactive.', body: operatorSubscription } },
      errors: ['WEBHOOK_NOT_FOUND'],
      handle: async ({ params }) => ok(operatorSubscriptionView(await deactivateSubscription(deps, params.id))),
    }),
    route<Operator, { id: string }>({
      method: 'post',
      path: `${PREFIX}/webhooks/:id/activate`,
      operationId: 'activateSubscription',
      tag: 'Webhooks',
      summary: 'Let a subscription receive again',
      description: 'It receives events from now on. The partner can `recover` missed events.',
      params: { id: anySubscriptionIdParam },
      subject,
      responses: { 200: { description: 'The subscription, active.', body: operatorSubscription } },
      errors: ['WEBHOOK_NOT_FOUND', 'SUBSCRIPTION_EXISTS'],
      handle: async ({ params }) => ok(operatorSubscriptionView(await activateSubscription(deps, params.id))),
    }),
  ];
}

function deliveryRoutes(deps: { db: Db }): Route<Operator>[] {
  return [
    route<Operator, unknown, DeliveriesQuery>({
      method: 'get',
      path: `${PREFIX}/deliveries`,
      operationId: 'listDeliveries',
      tag: 'Deliveries',
      summary: 'List deliveries to all partners, newest first',
      query: deliveriesQuery,
      responses: { 200: { description: 'A page of deliveries.', body: deliveryPage } },
      errors: [],
      handle: async ({ query }) => deliveryListing(deps, query, query.status),
    }),
    route<Operator, { id: string }>({
      method: 'get',
      path: `${PREFIX}/deliveries/:id`,
      operationId: 'getAnyDelivery',
      tag: 'Deliveries',
      summary: 'Read a delivery with its attempts',
      params: { id: anyDeliveryIdParam },
      responses: { 200: { description: 'The delivery as it is now.', body: operatorDelivery } },
      errors: ['DELIVERY_NOT_FOUND'],
      handle: async ({ params }) => ok(operatorDeliveryView(await getDelivery(deps, undefined, params.id))),
    }),
    route<Operator, unknown, DeadLettersQuery>({
      method: 'get',
      path: `${PREFIX}/dead-letters`,
      operationId: 'listDeadLetters',
      tag: 'Deliveries',
      summary: 'List deliveries that failed after five attempts, newest first',
      query: deadLettersQuery,
      responses: { 200: { description: 'A page of dead letters.', body: deliveryPage } },
      errors: [],
      handle: async ({ query }) => deliveryListing(deps, query, 'dead_letter'),
    }),
  ];
}

async function deliveryListing(deps: { db: Db }, query: DeliveriesQuery, state: DeliveriesQuery['status']) {
  const filter = omitUndefined({
    partnerId: query.partner_id,
    subscriptionId: query.subscription_id,
    eventType: query.event_type,
    requestId: query.request_id,
    state,
  });
  const { rows, next } = await listDeliveries(deps, filter, query.cursor, query.limit);
  return listing(rows.map(operatorDeliveryView), encodeCursor(next));
}

const filterOf = ({ subscription_id: subscriptionId, event_type: eventType, from, to }: RedeliverBody) =>
  omitUndefined({ subscriptionId, eventType, from, to });

function deadLetterRoutes(deps: RedeliveryDeps): Route<Operator>[] {
  const subject = async ({ id }: { id: string }) => operatorDeliveryView(await getDelivery(deps, undefined, id));
  return [
    route<Operator, unknown, unknown, RedeliverBody>({
      method: 'post',
      path: `${PREFIX}/dead-letters/redrive`,
      operationId: 'redriveDeadLetters',
      tag: 'Deliveries',
      summary: 'Redeliver many dead letters',
      description:
        'Each starts a new series of attempts, counted from 1, with the same event_id. Skips dead letters of inactive subscriptions, of suspended partners, and of venues that are not granted or not subscribed. Without any field: all dead letters.',
      body: redeliverBody,
      responses: { 202: { description: 'The attempts follow.', body: redriven } },
      errors: ['PARTNER_SUSPENDED', 'WEBHOOK_NOT_FOUND', 'WEBHOOK_INACTIVE'],
      takesLong: true,
      handle: async ({ body }) => accepted({ redriven: await redeliverDeadLetters(deps, filterOf(body)) }),
    }),
    route<Operator, { id: string }>({
      method: 'post',
      path: `${PREFIX}/dead-letters/:id/redrive`,
      operationId: 'redriveDeadLetter',
      tag: 'Deliveries',
      summary: 'Redeliver a dead letter',
      description: 'Starts a new series of attempts, counted from 1, with the same event_id.',
      params: { id: deadLetterIdParam },
      subject,
      responses: { 202: { description: 'The delivery; its attempts follow.', body: operatorDelivery } },
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
    route<Operator, unknown, unknown, RedeliverBody & DiscardBody>({
      method: 'post',
      path: `${PREFIX}/dead-letters/discard`,
      operationId: 'discardDeadLetters',
      tag: 'Deliveries',
      summary: 'Discard many dead letters',
      description:
        'Discards all dead letters that match the fields. At least one field is required besides the reason.',
      body: discardManyBody,
      responses: { 200: { description: 'The dead letters are discarded.', body: discarded } },
      errors: [],
      takesLong: true,
      handle: async ({ body }) => ok({ discarded: await discardDeadLetters(deps, filterOf(body), body.reason) }),
    }),
    route<Operator, { id: string }, unknown, DiscardBody>({
      method: 'post',
      path: `${PREFIX}/dead-letters/:id/discard`,
      operationId: 'discardDeadLetter',
      tag: 'Deliveries',
      summary: 'Discard a dead letter',
      description:
        'It no longer counts as a dead letter and raises no alert. Use it if the event must not be delivered again, or the partner already has its content. The partner sees that it was discarded, and can still redeliver it.',
      params: { id: deadLetterIdParam },
      body: discardBody,
      subject,
      responses: { 200: { description: 'The delivery, discarded.', body: operatorDelivery } },
      errors: ['DELIVERY_NOT_FOUND', 'DELIVERY_IN_PROGRESS'],
      handle: async ({ params, body }) =>
        ok(operatorDeliveryView(await discardDeadLetter(deps, params.id, body.reason))),
    }),
  ];
}
