import Joi from 'joi';
import type { WalkInDeps } from '../bookings/walk-ins.service.ts';
import { holdView } from '../holds/hold-view.rules.ts';
import type { HoldDeps } from '../holds/holds.service.ts';
import { expireHoldNow } from '../holds/holds.service.ts';
import type { Route } from '../http/route.ts';
import { created, ok, route } from '../http/route.ts';
import type { PartnerCaller } from '../partners/partners.service.ts';
import type { Queues } from '../platform/queues.ts';
import { advanceDelivery } from '../webhooks/deliveries.service.ts';
import { deliveryView } from '../webhooks/delivery-view.rules.ts';

import { releaseByOtherChannel, sellByOtherChannel } from './other-channel.service.ts';

export type SandboxDeps = HoldDeps &
  WalkInDeps & {
    queues: Pick<Queues, 'promoteDelivery' | 'ensureDelivery'>;
    config: { webhookRetryDelaysSeconds: number[] };
  };

type WalkInBody = { override_holds: boolean };

const walkInBody = Joi.object<WalkInBody>({ override_holds: Joi.boolean().default(false) }).required();

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
    route<PartnerCaller, { slotId: string }, unknown, WalkInBody>({
      method: 'post',
      path: '/api/v1/sandbox/slots/:slotId/walk-in',
      summary: 'Let the other channel take a slot',
      body: walkInBody,
      handle: async ({ caller, params: { slotId }, body }) => {
        const bookingId = await sellByOtherChannel(deps, caller.partnerId, slotId, body.override_holds);
        return created({ slot_id: slotId, booking_id: bookingId, status: 'BOOKED' });
      },
    }),
    route<PartnerCaller, { slotId: string }>({
      method: 'post',
      path: '/api/v1/sandbox/slots/:slotId/release',
      summary: 'Give a slot back that the other channel took',
      handle: async ({ caller, params: { slotId } }) => {
        const bookingId = await releaseByOtherChannel(deps, caller.partnerId, slotId);
        return ok({ slot_id: slotId, booking_id: bookingId, status: 'CANCELLED' });
      },
    }),
  ];
}
