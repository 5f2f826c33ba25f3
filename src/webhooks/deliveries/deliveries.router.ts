import type { Route } from '../../http/route.ts';
import { accepted, route } from '../../http/route.ts';
import type { PartnerCaller } from '../../partners/partners.service.ts';
import type { Clock } from '../../platform/clock.ts';
import { subscriptionIdParam } from '../subscriptions/subscriptions.schemas.ts';
import type { RecoverBody, TestBody } from './deliveries.schemas.ts';
import { delivery, recoverBody, recovered, testBody, waitingDelivery } from './deliveries.schemas.ts';
import { deliveryView } from './delivery-view.rules.ts';
import { recoverDeliveries } from './recover-deliveries.service.ts';
import type { RedeliveryDeps } from './redelivery.service.ts';
import type { TestEventDeps } from './test-event.service.ts';
import { sendTestEvent } from './test-event.service.ts';

/** The routes by which partners have events delivered: a sample, and what they have missed. */
export function deliveryRoutes(
  deps: RedeliveryDeps & TestEventDeps & { clock: Clock },
): Route<PartnerCaller>[] {
  return [
    route<PartnerCaller, { id: string }, unknown, TestBody>({
      method: 'post',
      path: '/api/v1/partner/webhooks/:id/test',
      operationId: 'sendTestEvent',
      tag: 'Webhooks',
      summary: 'Send a sample event to a subscription',
      description:
        'The sample is signed, retried and listed like any delivery, and has `details.test: true`. It is not in the feed.',
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
      summary: 'Recover the deliveries that a subscription missed',
      description:
        'Delivers every subscribed event of that period that has no success, including those that wait for a retry. Repeating the call is safe. During one recovery, a call for another period is 429. event_id stays the same; the current secret signs.',
      params: { id: subscriptionIdParam },
      body: recoverBody(() => deps.clock.now()),
      responses: { 202: { description: 'The deliveries follow.', body: recovered } },
      errors: ['WEBHOOK_NOT_FOUND', 'WEBHOOK_INACTIVE'],
      takesLong: true,
      handle: async ({ caller, params, body }) =>
        accepted({ recovered: await recoverDeliveries(deps, caller.partnerId, params.id, body) }),
    }),
  ];
}
