import { listOf } from '../http/answer-fields.ts';
import type { Route } from '../http/route.ts';
import { created, listing, ok, route } from '../http/route.ts';
import type { PartnerCaller } from '../partners/partners.service.ts';
import type { CreateBody } from './subscriptions.schemas.ts';
import {
  createBody,
  newSubscription,
  rotatedSecret,
  subscriptionIdParam,
  subscription as subscriptionSchema,
} from './subscriptions.schemas.ts';
import type { SubscriptionDeps, SubscriptionRow } from './subscriptions.service.ts';
import { createSubscription, listSubscriptions, rotateSecret } from './subscriptions.service.ts';

/** Contract "Webhook management", decisions §6. */
export function subscriptionRoutes(deps: SubscriptionDeps): Route<PartnerCaller>[] {
  return [
    route<PartnerCaller, unknown, unknown, CreateBody>({
      method: 'post',
      path: '/api/v1/partner/webhooks',
      operationId: 'createSubscription',
      tag: 'Webhooks',
      summary: 'Subscribe an endpoint to events; the secret is shown this once',
      description: 'At most 20 subscriptions. What is delivered is described under webhooks.',
      body: createBody(deps.config.webhookAllowPrivateNetworks),
      answers: { 201: { description: 'The subscription with its secret.', body: newSubscription } },
      errors: ['WEBHOOK_LIMIT_REACHED'],
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
      answers: {
        200: { description: 'All your subscriptions, oldest first.', body: listOf(subscriptionSchema) },
      },
      errors: [],
      handle: async ({ caller }) => {
        const rows = await listSubscriptions(deps, caller.partnerId);
        return listing(rows.map((row) => ({ ...subscriptionView(row), secret_rotated_at: rotatedAt(row) })));
      },
    }),
    route<PartnerCaller, { id: string }>({
      method: 'post',
      path: '/api/v1/partner/webhooks/:id/rotate-secret',
      operationId: 'rotateSecret',
      tag: 'Webhooks',
      summary: 'Replace the secret of a subscription',
      description: 'Every delivery from now on is signed with the new secret, retries included.',
      params: { id: subscriptionIdParam },
      answers: { 200: { description: 'The new secret.', body: rotatedSecret } },
      errors: ['WEBHOOK_NOT_FOUND'],
      handle: async ({ caller, params }) => {
        const { subscription, secretKey } = await rotateSecret(deps, caller.partnerId, params.id);
        return ok({
          id: subscription._id,
          secret_key: secretKey,
          secret_rotated_at: rotatedAt(subscription),
        });
      },
    }),
  ];
}

function subscriptionView(row: SubscriptionRow): Record<string, unknown> {
  return {
    id: row._id,
    endpoint_url: row.endpointUrl,
    event_types: row.eventTypes,
    status: row.status,
    created_at: row.createdAt.toISOString(),
  };
}

function rotatedAt(row: SubscriptionRow): string | null {
  return row.secretRotatedAt?.toISOString() ?? null;
}
