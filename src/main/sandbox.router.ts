import { cancelSimulatedWalkIn, placeWalkIn } from '../booking/bookings/walk-ins.service.ts';
import { holdView } from '../booking/holds/holds.rules.ts';
import { heldExample, hold, holdIdParam } from '../booking/holds/holds.schemas.ts';
import { expireHoldNow } from '../booking/holds/holds.service.ts';
import { created, ok, type Route, routesOf } from '../http/route.ts';
import type { PartnerCaller } from '../partners/partners.service.ts';
import type { Context } from '../process/context.ts';
import { partnerActor } from '../reservations/actor-types.ts';
import { delivery, deliveryIdParam, waitingDelivery } from '../webhooks/deliveries/deliveries.schemas.ts';
import { deliveryView } from '../webhooks/deliveries/delivery-view.rules.ts';
import { advanceDelivery } from '../webhooks/deliveries/redelivery.service.ts';
import { resetSandbox } from './reset-sandbox.service.ts';
import { otherChannelBody, releasedSlot, resetCounts, slotIdParam, soldSlot } from './sandbox.schemas.ts';

const partnerRoute = routesOf<PartnerCaller>('Sandbox');

const SANDBOX_ONLY = 'Sandbox only: in a production deployment this path is 404 ROUTE_NOT_FOUND.';

/** Shortcuts for partners' developers, to avoid waiting; not available in production. */
export function sandboxRoutes(deps: Context): Route<PartnerCaller>[] {
  return [
    partnerRoute.post('/api/v1/sandbox/reset', 'resetSandbox', {
      summary: 'Start again: remove your subscriptions, release holds and cancel bookings',
      description: `Removes your webhook subscriptions, releases your ACTIVE holds and cancels your BOOKED bookings. Call it before a test run. ${SANDBOX_ONLY}`,
      responses: { 200: { description: 'How many objects of each kind were ended.', body: resetCounts } },
      handle: async ({ caller }) => ok(await resetSandbox(deps, partnerActor(caller))),
    }),
    partnerRoute.post('/api/v1/sandbox/holds/:holdId/expire', 'expireHold', {
      summary: 'Expire an ACTIVE hold now',
      description: SANDBOX_ONLY,
      params: { holdId: holdIdParam },
      responses: { 200: { description: 'The hold, EXPIRED.', body: hold, example: heldExample('EXPIRED') } },
      errors: ['HOLD_NOT_FOUND', 'HOLD_EXPIRED', 'INVALID_HOLD_STATE'],
      handle: async ({ caller, params }) => ok(holdView(await expireHoldNow(deps, caller.partnerId, params.holdId))),
    }),
    partnerRoute.post('/api/v1/sandbox/deliveries/:id/advance', 'advanceDelivery', {
      summary: "Make a delivery's next attempt now",
      description: SANDBOX_ONLY,
      params: { id: deliveryIdParam },
      responses: {
        200: { description: 'The delivery; its attempt follows.', body: delivery, example: waitingDelivery() },
      },
      errors: ['DELIVERY_NOT_FOUND', 'DELIVERY_IN_PROGRESS'],
      handle: async ({ caller, params }) => ok(deliveryView(await advanceDelivery(deps, caller.partnerId, params.id))),
    }),
    partnerRoute.post('/api/v1/sandbox/slots/:slotId/walk-in', 'sellByOtherChannel', {
      summary: 'Sell a slot as the venue',
      description: `Simulates a walk-in: the venue sells the slot itself. ${SANDBOX_ONLY}`,
      params: { slotId: slotIdParam },
      body: otherChannelBody,
      responses: { 201: { description: 'The slot is sold.', body: soldSlot } },
      errors: ['SLOT_NOT_FOUND', 'SLOT_NOT_AVAILABLE'],
      handle: async ({ caller, params: { slotId }, body }) => {
        const { booking } = await placeWalkIn(deps, {
          slotId,
          customerName: null,
          customerPhone: null,
          overrideHolds: body.override_holds,
          simulatedBy: caller.partnerId,
          actor: partnerActor(caller),
        });
        return created({ slot_id: slotId, booking_id: booking.bookingId, status: 'BOOKED' });
      },
    }),
    partnerRoute.post('/api/v1/sandbox/slots/:slotId/release', 'releaseByOtherChannel', {
      summary: 'Release a slot that was sold as the venue',
      description: SANDBOX_ONLY,
      params: { slotId: slotIdParam },
      responses: { 200: { description: 'The slot is free.', body: releasedSlot } },
      errors: ['SLOT_NOT_FOUND', 'BOOKING_NOT_FOUND'],
      handle: async ({ caller, params: { slotId } }) => {
        const { booking } = await cancelSimulatedWalkIn(deps, slotId, caller.partnerId, partnerActor(caller));
        return ok({ slot_id: slotId, booking_id: booking.bookingId, status: 'CANCELLED' });
      },
    }),
  ];
}
