import Joi from 'joi';
import type { EventType } from '../events/event-types.ts';
import { EVENT_TYPES } from '../events/event-types.ts';
import type { Route } from '../http/route.ts';
import { created, listing, ok, route } from '../http/route.ts';
import type { PartnerCaller } from '../partners/partners.service.ts';
import { endpointFormFault } from './endpoint-url.ts';
import type { SubscriptionDeps, SubscriptionRow } from './subscriptions.service.ts';
import { createSubscription, listSubscriptions, rotateSecret } from './subscriptions.service.ts';

type CreateBody = { endpoint_url: string; event_types: EventType[] };

const createBody = (allowPrivateNetworks: boolean) =>
  Joi.object<CreateBody>({
    endpoint_url: Joi.string()
      .custom((value: string, helpers) => {
        const fault = endpointFormFault(value, { allowPrivateNetworks });
        return fault === null ? value : helpers.message({ custom: fault });
      })
      .required(),
    event_types: Joi.array()
      .items(Joi.string().valid(...EVENT_TYPES))
      .min(1)
      .max(50)
      .required(),
  }).required();

/** Contract "Webhook management", decisions §6. */
export function subscriptionRoutes(deps: SubscriptionDeps): Route<PartnerCaller>[] {
  return [
    route<PartnerCaller, unknown, unknown, CreateBody>({
      method: 'post',
      path: '/api/v1/partner/webhooks',
      summary: 'Subscribe an endpoint to events; the secret is shown this once',
      body: createBody(deps.config.webhookAllowPrivateNetworks),
      handle: async ({ caller, body }) => {
        const input = { endpointUrl: body.endpoint_url, eventTypes: body.event_types };
        const { subscription, secretKey } = await createSubscription(deps, caller.partnerId, input);
        return created({ ...subscriptionView(subscription), secret_key: secretKey });
      },
    }),
    route<PartnerCaller>({
      method: 'get',
      path: '/api/v1/partner/webhooks',
      summary: 'List your subscriptions',
      handle: async ({ caller }) => {
        const rows = await listSubscriptions(deps, caller.partnerId);
        return listing(rows.map((row) => ({ ...subscriptionView(row), secret_rotated_at: rotatedAt(row) })));
      },
    }),
    route<PartnerCaller, { id: string }>({
      method: 'post',
      path: '/api/v1/partner/webhooks/:id/rotate-secret',
      summary: 'Replace the secret of a subscription',
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
