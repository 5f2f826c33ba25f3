import { holdView } from '../holds/hold-view.rules.ts';
import type { HoldDeps } from '../holds/holds.service.ts';
import { expireHoldNow } from '../holds/holds.service.ts';
import type { Route } from '../http/route.ts';
import { ok, route } from '../http/route.ts';
import type { PartnerCaller } from '../partners/partners.service.ts';
import type { Queues } from '../platform/queues.ts';
import { advanceDelivery } from '../webhooks/deliveries.service.ts';
import { deliveryView } from '../webhooks/delivery-view.rules.ts';

export type SandboxDeps = HoldDeps & {
  queues: Pick<Queues, 'promoteDelivery' | 'ensureDelivery'>;
  config: { webhookRetryDelaysSeconds: number[] };
};

/** What spares a partner's developer the waiting; these routes do not exist in production (decisions §8). */
export function sandboxRoutes(deps: SandboxDeps): Route<PartnerCaller>[] {
  return [
    route<PartnerCaller, { holdId: string }>({
      method: 'post',
      path: '/api/v1/sandbox/holds/:holdId/expire',
      summary: 'Let an ACTIVE hold lapse now',
      handle: async ({ caller, params }) =>
        ok(holdView(await expireHoldNow(deps, caller.partnerId, params.holdId))),
    }),
    route<PartnerCaller, { id: string }>({
      method: 'post',
      path: '/api/v1/sandbox/deliveries/:id/advance',
      summary: "Make a delivery's next attempt now",
      handle: async ({ caller, params }) =>
        ok(deliveryView(await advanceDelivery(deps, caller.partnerId, params.id))),
    }),
  ];
}
