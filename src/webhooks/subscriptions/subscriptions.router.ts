import { listOf } from '../../http/response-fields.ts';
import { created, listing, type Operator, ok, type Route, route } from '../../http/route.ts';
import type { PartnerCaller } from '../../partners/partners.service.ts';
import type { Db } from '../../platform/mongo.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import { encodeCursor } from '../../platform/pagination.ts';
import { endpointRules } from '../sender/endpoint-url.ts';
import { rotateSecret } from './secrets.service.ts';
import {
  listedView,
  operatorSubscriptionView,
  rotatedAt,
  subscriptionView,
} from './subscription-view.rules.ts';
import type { CreateBody, RotateBody, SubscriptionsQuery } from './subscriptions.schemas.ts';
import {
  changeBody,
  createBody,
  newSubscription,
  operatorSubscriptionPage,
  rotateBody,
  rotatedSecret,
  subscriptionIdParam,
  subscription as subscriptionSchema,
  subscriptionsQuery,
} from './subscriptions.schemas.ts';
import {
  changeSubscription,
  createSubscription,
  listAllSubscriptions,
  listSubscriptions,
  type SubscriptionDeps,
} from './subscriptions.service.ts';

const NO_UNSUBSCRIBING =
  'A partner cannot remove or pause a subscription: ask the platform operator to stop deliveries to it, or change it with PATCH /api/v1/partner/webhooks/{id}.';

export function subscriptionRoutes(deps: SubscriptionDeps): Route<PartnerCaller>[] {
  return [
    route<PartnerCaller, unknown, unknown, CreateBody>({
      method: 'post',
      path: '/api/v1/partner/webhooks',
      operationId: 'createSubscription',
      tag: 'Webhooks',
      summary: 'Subscribe an endpoint to events; the secret is shown this once',
      description:
        'At most 20 subscriptions, no two active ones with the same URL and the same types. What is delivered to the URL is described under callbacks.',
      body: createBody(endpointRules(deps.config)),
      responses: { 201: { description: 'The subscription with its secret.', body: newSubscription } },
      errors: ['WEBHOOK_LIMIT_REACHED', 'SUBSCRIPTION_EXISTS'],
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
        const rows = await listSubscriptions(deps.db, caller.partnerId);
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
        'What is left out stays, and so do secret and status. What waits to be delivered goes to the new address with its next attempt. A new address takes about a second to answer; then nothing more is sent to the old one.',
      params: { id: subscriptionIdParam },
      body: changeBody(endpointRules(deps.config)),
      responses: { 200: { description: 'The subscription as it is now.', body: subscriptionSchema } },
      errors: ['WEBHOOK_NOT_FOUND', 'SUBSCRIPTION_EXISTS'],
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
      description:
        'Every delivery from now on is signed with the new secret, retries included. It takes about a second to answer; then no process signs with the old secret alone.',
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

/** The operators' list of subscriptions; the routes that stop and resume deliveries are with the deliveries. */
export function operatorSubscriptionRoutes(deps: { db: Db }): Route<Operator>[] {
  return [
    route<Operator, unknown, SubscriptionsQuery>({
      method: 'get',
      path: '/api/v1/operator/webhooks',
      operationId: 'listSubscriptions',
      tag: 'Webhooks',
      summary: 'List the subscriptions of all partners, newest first',
      query: subscriptionsQuery,
      responses: { 200: { description: 'A page of subscriptions.', body: operatorSubscriptionPage } },
      errors: [],
      handle: async ({ query: { partner_id: partnerId, status, cursor: after, limit } }) => {
        const filter = omitUndefined({ partnerId, status });
        const { rows, next } = await listAllSubscriptions(deps.db, filter, after, limit);
        return listing(rows.map(operatorSubscriptionView), encodeCursor(next));
      },
    }),
  ];
}
