import type { Operator, Route } from '../../http/route.ts';
import { created, route } from '../../http/route.ts';
import { operatorActor } from '../../reservations/actor-types.ts';
import { bookingView } from './booking-view.rules.ts';
import type { WalkInBody } from './bookings.schemas.ts';
import { booking, walkInBody } from './bookings.schemas.ts';
import type { WalkInDeps } from './walk-ins.service.ts';
import { placeWalkIn } from './walk-ins.service.ts';

/** Sales at the counter, by operators. */
export function walkInRoutes(deps: WalkInDeps): Route<Operator>[] {
  return [
    route<Operator, unknown, unknown, WalkInBody>({
      method: 'post',
      path: '/api/v1/operator/walk-ins',
      operationId: 'placeWalkIn',
      tag: 'Walk-ins',
      summary: 'Book a slot for somebody at the venue',
      description:
        'Made as the built-in partner `platform`. A slot that has begun can still be sold; one that is more than three years ahead cannot.',
      body: walkInBody(deps.config.defaultRegion),
      responses: { 201: { description: 'The booking.', body: booking } },
      errors: ['SLOT_NOT_FOUND', 'SLOT_NOT_AVAILABLE'],
      handle: async ({ caller, body }) =>
        created(
          bookingView(
            await placeWalkIn(deps, {
              slotId: body.slot_id,
              customerName: body.customer_name ?? null,
              customerPhone: body.customer_phone ?? null,
              overrideHolds: body.override_holds,
              actor: operatorActor(caller),
            }),
          ),
        ),
    }),
  ];
}
