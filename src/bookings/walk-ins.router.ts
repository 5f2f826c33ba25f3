import Joi from 'joi';
import { customerPhone, text } from '../http/fields.ts';
import type { Operator } from '../http/operator.ts';
import type { Route } from '../http/route.ts';
import { created, route } from '../http/route.ts';
import { bookingView } from './booking-view.rules.ts';
import type { WalkInDeps } from './walk-ins.service.ts';
import { placeWalkIn } from './walk-ins.service.ts';

type WalkInBody = {
  slot_id: string;
  customer_name?: string;
  customer_phone?: string;
  override_holds: boolean;
};

const walkInBody = (region: string) =>
  Joi.object<WalkInBody>({
    slot_id: text(250).required(),
    customer_name: text(120),
    customer_phone: customerPhone(region),
    override_holds: Joi.boolean().default(false),
  }).required();

/** Operator interface, "walk-ins". */
export function walkInRoutes(deps: WalkInDeps): Route<Operator>[] {
  return [
    route<Operator, unknown, unknown, WalkInBody>({
      method: 'post',
      path: '/api/v1/operator/walk-ins',
      summary: 'Book a slot for somebody at the venue',
      body: walkInBody(deps.config.defaultRegion),
      handle: async ({ body }) =>
        created(
          bookingView(
            await placeWalkIn(deps, {
              slotId: body.slot_id,
              customerName: body.customer_name ?? null,
              customerPhone: body.customer_phone ?? null,
              overrideHolds: body.override_holds,
            }),
          ),
        ),
    }),
  ];
}
