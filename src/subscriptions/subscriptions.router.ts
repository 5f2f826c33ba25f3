import { delivery, waitingDelivery } from '../deliveries/deliveries.schemas.ts';
import { deliveryView } from '../deliveries/delivery-view.rules.ts';
import type { RedeliveryDeps } from '../deliveries/redelivery.service.ts';
import { recoverDeliveries } from '../deliveries/redelivery.service.ts';
import type { TestEventDeps } from '../deliveries/test-event.service.ts';
import { sendTestEvent } from '../deliveries/test-event.service.ts';
import { listOf } from '../http/response-fields.ts';
import type { Route } from '../http/route.ts';
import { accepted, created, listing, ok, route } from '../http/route.ts';
import type { PartnerCaller } from '../partners/partners.service.ts';
import { omitUndefined } from '../platform/omit-undefined.ts';
import { endpointRules } from '../sender/endpoint-url.ts';
import { listedView, rotatedAt, subscriptionView } from './subscription-view.rules.ts';
import type { CreateBody, RecoverBody, RotateBody, TestBody } from './subscriptions.schemas.ts';
import {
  changeBody,
  createBody,
  newSubscription,
  recoverBody,
  recovered,
  rotateBody,
  rotatedSecret,
  subscriptionIdParam,
  subscription as subscriptionSchema,
  testBody,
} from './subscriptions.schemas.ts';
import type { SubscriptionDeps } from './subscriptions.service.ts';
import {
  changeSubscription,
  createSubscription,
  listSubscriptions,
  rotateSecret,
} from './subscriptions.service.ts';

export type SubscriptionRoutesDeps = SubscriptionDeps & RedeliveryDeps & TestEventDeps;

const NO_UNSUBSCRIBING =
  'A partner cannot remove or pause a subscription: ask the platform operator to stop deliveries to it, or change it with PATCH /api/v1/partner/webhooks/{id}.';

/** Contract "Webhook management", decisions §6. */
export function subscriptionRoutes(deps: SubscriptionRoutesDeps): Route<PartnerCaller>[] {
  return [...managementRows(deps), ...deliveryRows(deps)];
}

function managementRows(deps: SubscriptionDeps): Route<PartnerCaller>[] {
  return [
    route<PartnerCaller, unknown, unknown, CreateBody>({
      method: 'post',
      path: '/api/v1/partner/webhooks',
      operationId: 'createSubscription',
      tag: 'Webhooks',
      summary: 'Subscribe an endpoint to events; the secret is shown this once',
      description: 'At most 20 subscriptions. What is delivered is described under webhooks.',
      body: createBody(endpointRules(deps.config)),
      responses: { 201: { description: 'The subscription with its secret.', body: newSubscription } },
      errors: ['WEBHOOK_LIMIT_REACHED'],
      notOffered: NO_UNSUBSCRIBING,
      handle: async ({ caller, body }) => {
        const input = { endpointUrl: body.endpoint_url, eventTypes: body.event_types };
        const { subscription, secretKey } = await createSubscription(deps, caller.partnerId, input);
        return created({ ...subscriptionView(subscription), secret_key: secretKey });
      },
    }),
    route<PartnerCaller>({
      method: 'get',
      path: '/api/v1/partner/webhooks',
      operationId: 'listSubscriptions',
      tag: 'Webhooks',
      summary: 'List your subscriptions',
      responses: {
        200: { description: 'All your subscriptions, oldest first.', body: listOf(subscriptionSchema) },
      },
      errors: [],
      handle: async ({ caller }) => {
        const rows = await listSubscriptions(deps, caller.partnerId);
        return listing(rows.map(listedView));
      },
    }),
    route<PartnerCaller, { id: string }, unknown, Partial<CreateBody>>({
      method: 'patch',
      path: '/api/v1/partner/webhooks/:id',
      operationId: 'changeSubscription',
      tag: 'Webhooks',
      summary: 'Change the address or the events of a subscription',
      description:
        'What is left out stays, and so do secret and status. What waits to be delivered goes to the new address with its next attempt; one that is under way may still arrive at the old one.',
      params: { id: subscriptionIdParam },
      body: changeBody(endpointRules(deps.config)),
      responses: { 200: { description: 'The subscription as it is now.', body: subscriptionSchema } },
      errors: ['WEBHOOK_NOT_FOUND'],
      notOffered: NO_UNSUBSCRIBING,
      handle: async ({ caller, params, body: { endpoint_url: endpointUrl, event_types: eventTypes } }) => {
        const change = omitUndefined({ endpointUrl, eventTypes });
        return ok(listedView(await changeSubscription(deps, caller.partnerId, params.id, change)));
      },
    }),
    route<PartnerCaller, { id: string }, unknown, RotateBody>({
      method: 'post',
      path: '/api/v1/partner/webhooks/:id/rotate-secret',
      operationId: 'rotateSecret',
      tag: 'Webhooks',
      summary: 'Replace the secret of a subscription',
      description: 'Every delivery from now on is signed with the new secret, retries included.',
      params: { id: subscriptionIdParam },
      body: rotateBody,
      responses: { 200: { description: 'The new secret.', body: rotatedSecret } },
      errors: ['WEBHOOK_NOT_FOUND'],
      handle: async ({ caller: { partnerId }, params, body: { overlap_seconds: overlapSeconds } }) => {
        const { subscription, secretKey } = await rotateSecret(deps, partnerId, params.id, overlapSeconds);
        return ok({
          id: subscription._id,
          secret_key: secretKey,
          secret_rotated_at: rotatedAt(subscription),
        });
      },
    }),
  ];
}

function deliveryRows(deps: RedeliveryDeps & TestEventDeps): Route<PartnerCaller>[] {
  return [
    route<PartnerCaller, { id: string }, unknown, TestBody>({
      method: 'post',
      path: '/api/v1/partner/webhooks/:id/test',
      operationId: 'sendTestEvent',
      tag: 'Webhooks',
      summary: 'Send a sample event to a subscription',
      description:
        'Signed, retried and listed like any other, with `details.test: true`. It is in no feed and reaches nobody else.',
      params: { id: subscriptionIdParam },
      body: testBody,
      responses: {
        202: {
          description: 'The delivery of the sample; its attempt follows.',
          body: delivery,
          example: waitingDelivery({ test: true }),
        },
      },
      errors: ['WEBHOOK_NOT_FOUND', 'WEBHOOK_INACTIVE'],
      handle: async ({ caller, params, body }) =>
        accepted(deliveryView(await sendTestEvent(deps, caller.partnerId, params.id, body.event_type))),
    }),
    route<PartnerCaller, { id: string }, unknown, RecoverBody>({
      method: 'post',
      path: '/api/v1/partner/webhooks/:id/recover',
      operationId: 'recoverDeliveries',
      tag: 'Webhooks',
      summary: 'Deliver again what a subscription has missed',
      description:
        'Every event of that time that the subscription asks for and has no success for, at once: also what waits for a retry. Repeating the call is safe. One time is recovered at a time: while it is, a call for another one is 429. The event_ids stay; the secret then current signs.',
      params: { id: subscriptionIdParam },
      body: recoverBody(() => deps.clock.now()),
      responses: { 202: { description: 'The deliveries follow.', body: recovered } },
      errors: ['WEBHOOK_NOT_FOUND', 'WEBHOOK_INACTIVE'],
      handle: async ({ caller, params, body }) =>
        accepted({ recovered: await recoverDeliveries(deps, caller.partnerId, params.id, body) }),
    }),
  ];
}
