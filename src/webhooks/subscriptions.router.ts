import Joi from 'joi';
import type { EventType } from '../events/event-types.ts';
import { EVENT_TYPES } from '../events/event-types.ts';
import { instant } from '../http/fields.ts';
import type { Route } from '../http/route.ts';
import { accepted, created, listing, ok, route } from '../http/route.ts';
import type { PartnerCaller } from '../partners/partners.service.ts';
import { deliveryView } from './delivery-view.rules.ts';
import { endpointFormFault } from './endpoint-url.ts';
import type { RedeliveryDeps } from './redelivery.service.ts';
import { recoverDeliveries } from './redelivery.service.ts';
import type { SubscriptionDeps, SubscriptionRow } from './subscriptions.service.ts';
import { createSubscription, listSubscriptions, rotateSecret } from './subscriptions.service.ts';
import type { TestEventDeps } from './test-event.service.ts';
import { sendTestEvent } from './test-event.service.ts';

export type SubscriptionRoutesDeps = SubscriptionDeps & RedeliveryDeps & TestEventDeps;

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

type RotateBody = { overlap_seconds: number };

const rotateBody = Joi.object<RotateBody>({
  overlap_seconds: Joi.number().integer().min(0).max(604_800).default(0),
}).required();

type TestBody = { event_type?: EventType };

const testBody = Joi.object<TestBody>({ event_type: Joi.string().valid(...EVENT_TYPES) }).required();

type RecoverBody = { since: Date; until?: Date };

const MAX_RECOVERY_MS = 14 * 86_400_000;

const recoverBody = (now: () => Date) =>
  Joi.object<RecoverBody>({
    since: instant()
      .custom((since: Date, helpers) => {
        const [{ until: given }] = helpers.state.ancestors as [Record<string, unknown>];
        const until = typeof given === 'string' ? new Date(given) : now();
        if (since > until) return helpers.error('date.order');
        return until.getTime() - since.getTime() > MAX_RECOVERY_MS ? helpers.error('date.span') : since;
      })
      .messages({
        'date.order': 'is after until, or in the future. Send a since that is not after until.',
        'date.span': 'is more than 14 days before until (now, if left out). Recover in several calls.',
      })
      .required(),
    until: instant(),
  }).required();

/** Contract "Webhook management", decisions §6. */
export function subscriptionRoutes(deps: SubscriptionRoutesDeps): Route<PartnerCaller>[] {
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
    route<PartnerCaller, { id: string }, unknown, RotateBody>({
      method: 'post',
      path: '/api/v1/partner/webhooks/:id/rotate-secret',
      summary: 'Replace the secret of a subscription',
      body: rotateBody,
      handle: async ({ caller, params, body }) => {
        const { subscription, secretKey } = await rotateSecret(
          deps,
          caller.partnerId,
          params.id,
          body.overlap_seconds,
        );
        return ok({
          id: subscription._id,
          secret_key: secretKey,
          secret_rotated_at: rotatedAt(subscription),
        });
      },
    }),
    route<PartnerCaller, { id: string }, unknown, TestBody>({
      method: 'post',
      path: '/api/v1/partner/webhooks/:id/test',
      summary: 'Send a sample event to a subscription',
      body: testBody,
      handle: async ({ caller, params, body }) =>
        accepted(deliveryView(await sendTestEvent(deps, caller.partnerId, params.id, body.event_type))),
    }),
    route<PartnerCaller, { id: string }, unknown, RecoverBody>({
      method: 'post',
      path: '/api/v1/partner/webhooks/:id/recover',
      summary: 'Deliver again what a subscription has missed',
      body: recoverBody(() => deps.clock.now()),
      handle: async ({ caller, params, body: { since, until = deps.clock.now() } }) =>
        accepted({ recovered: await recoverDeliveries(deps, caller.partnerId, params.id, { since, until }) }),
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
