import { listOf } from '../../http/response-fields.ts';
import { created, listing, type Operator, ok, paged, type Route, routesOf } from '../../http/route.ts';
import type { PartnerCaller } from '../../partners/partners.service.ts';
import type { Db } from '../../platform/mongo.ts';
import { camelCased } from '../../platform/objects.ts';
import { endpointRules } from '../sender/endpoint-url.ts';
import { listedView, operatorSubscriptionView, rotatedAt, subscriptionView } from './subscription-view.rules.ts';
import * as schemas from './subscriptions.schemas.ts';
import {
  changeSubscription,
  createSubscription,
  listAllSubscriptions,
  listSubscriptions,
  rotateSecret,
  type SubscriptionDeps,
} from './subscriptions.service.ts';

const partnerRoute = routesOf<PartnerCaller>('Webhooks');
const operatorRoute = routesOf<Operator>('Webhooks');

const NO_UNSUBSCRIBING =
  'A partner cannot remove or pause a subscription: ask the platform operator to stop deliveries to it, or change it with PATCH /api/v1/partner/webhooks/{id}.';

export function subscriptionRoutes(deps: SubscriptionDeps): Route<PartnerCaller>[] {
  return [
    partnerRoute.post('/api/v1/partner/webhooks', 'createSubscription', {
      summary: 'Subscribe an endpoint to events and get its secret',
      description:
        'Only this response and a rotation return the secret. You can have 20 subscriptions, and no two active ones with the same URL, types and venues. See callbacks for the deliveries.',
      body: schemas.createBody(endpointRules(deps.config)),
      responses: { 201: { description: 'The subscription with its secret.', body: schemas.newSubscription } },
      errors: ['VENUE_NOT_AUTHORIZED', 'WEBHOOK_LIMIT_REACHED', 'SUBSCRIPTION_EXISTS'],
      notOffered: NO_UNSUBSCRIBING,
      handle: async ({ caller, body }) => {
        const input = { venueIds: null, ...camelCased(body) };
        const { subscription, secretKey } = await createSubscription(deps, caller.partnerId, input);
        return created({ ...subscriptionView(subscription), secret_key: secretKey });
      },
    }),
    partnerRoute.get('/api/v1/partner/webhooks', 'listSubscriptions', {
      summary: 'List your subscriptions',
      responses: {
        200: { description: 'All your subscriptions, oldest first.', body: listOf(schemas.subscription) },
      },
      handle: async ({ caller }) => {
        const rows = await listSubscriptions(deps.db, caller.partnerId);
        return listing(rows.map(listedView));
      },
    }),
    partnerRoute.patch('/api/v1/partner/webhooks/:id', 'changeSubscription', {
      summary: 'Change the address, the events or the venues of a subscription',
      description:
        'Omitted fields, the secret and the status stay. Waiting deliveries go to the new URL with their next attempt. Changing the URL takes about a second; after the response nothing is sent to the old one.',
      params: { id: schemas.subscriptionIdParam },
      body: schemas.changeBody(endpointRules(deps.config)),
      responses: { 200: { description: 'The subscription as it is now.', body: schemas.subscription } },
      errors: ['WEBHOOK_NOT_FOUND', 'VENUE_NOT_AUTHORIZED', 'SUBSCRIPTION_EXISTS'],
      notOffered: NO_UNSUBSCRIBING,
      handle: async ({ caller, params, body }) =>
        ok(listedView(await changeSubscription(deps, caller.partnerId, params.id, camelCased(body)))),
    }),
    partnerRoute.post('/api/v1/partner/webhooks/:id/rotate-secret', 'rotateSecret', {
      summary: 'Replace the secret of a subscription',
      description:
        'Signs every later attempt with the new secret, retries included. The call takes about a second; after its response nothing is signed with the old secret alone.',
      params: { id: schemas.subscriptionIdParam },
      body: schemas.rotateBody,
      responses: { 200: { description: 'The new secret.', body: schemas.rotatedSecret } },
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

/**
 * The operators' list of subscriptions; `operator-deliveries.router.ts` has the routes that stop and resume deliveries.
 */
export function operatorSubscriptionRoutes(deps: { db: Db }): Route<Operator>[] {
  return [
    operatorRoute.get('/api/v1/operator/webhooks', 'listSubscriptions', {
      summary: 'List the subscriptions of all partners, newest first',
      query: schemas.subscriptionsQuery,
      responses: { 200: { description: 'A page of subscriptions.', body: schemas.operatorSubscriptionPage } },
      handle: async ({ query: { cursor, limit, ...filters } }) =>
        paged(await listAllSubscriptions(deps.db, camelCased(filters), cursor, limit), operatorSubscriptionView),
    }),
  ];
}
