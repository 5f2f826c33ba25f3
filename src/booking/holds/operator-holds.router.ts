import type { Operator, Route } from '../../http/route.ts';
import { ok, route } from '../../http/route.ts';
import { operatorActor } from '../../reservations/actor-types.ts';
import type { Reservation } from '../../reservations/reservations.model.ts';
import type { ReservationDeps } from '../../reservations/reservations.service.ts';
import { holdView } from './hold-view.rules.ts';
import { anyHoldIdParam, operatorHold, operatorReleaseBody } from './holds.schemas.ts';
import { getHold, releaseHold } from './holds.service.ts';

/** What operators do with the holds of partners. */
export function operatorHoldRoutes(deps: ReservationDeps): Route<Operator>[] {
  return [
    route<Operator, { holdId: string }, unknown, { reason: string }>({
      method: 'post',
      path: '/api/v1/operator/holds/:holdId/release',
      operationId: 'releaseHold',
      tag: 'Holds',
      summary: "Release any partner's hold",
      description:
        'Frees the slot at once, for whoever takes it first; to give it to a customer at the counter, sell a walk-in with `override_holds` instead. Made as the built-in partner `platform`. Releasing a hold that is released already succeeds and changes nothing.',
      params: { holdId: anyHoldIdParam },
      subject: async ({ holdId }) => operatorHoldView(await getHold(deps, undefined, holdId)),
      body: operatorReleaseBody,
      responses: { 200: { description: 'The hold, released.', body: operatorHold } },
      errors: ['HOLD_NOT_FOUND', 'HOLD_EXPIRED', 'INVALID_HOLD_STATE'],
      handle: async ({ caller, params: { holdId }, body: { reason } }) =>
        ok(operatorHoldView(await releaseHold(deps, operatorActor(caller), holdId, reason))),
    }),
  ];
}

function operatorHoldView(hold: Reservation): Record<string, unknown> {
  return { ...holdView(hold), partner_id: hold.partnerId, release_reason: hold.releaseReason ?? null };
}
