import type { ErrorCode } from '../../domain/errors.ts';
import { ok, type Route, replayable, routesOf } from '../../http/route.ts';
import type { OperatorActor, PartnerActor } from '../../reservations/actor-types.ts';
import type { ReservationDeps } from '../../reservations/reservations.service.ts';
import { bookingIdParam, endBody, endedBooking } from './bookings.schemas.ts';
import { ENDED_STATUS, type EndOperation, endBooking } from './end-booking.service.ts';

const OPERATIONS = {
  cancel: { verb: 'Cancel', message: 'Booking cancelled successfully', effect: 'Frees the slot of a BOOKED booking.' },
  refund: {
    verb: 'Refund',
    message: 'Booking refunded successfully',
    effect: 'Frees the slot of a BOOKED booking. A CANCELLED booking can be refunded too.',
  },
} as const;

/** The differences between the routes of partners (their own bookings) and of operators (any booking). */
type Differences<Caller> = {
  prefix: '/api/v1/bookings' | '/api/v1/operator/bookings';
  whichBooking: string;
  errors?: readonly ErrorCode[];
  notes?: Record<EndOperation, string>;
  actorOf: (caller: Caller) => PartnerActor | OperatorActor;
};

export function endRoutes<Caller>(deps: ReservationDeps, differences: Differences<Caller>): Route<Caller>[] {
  const { prefix, whichBooking, errors = [], notes, actorOf } = differences;
  return (['cancel', 'refund'] as const).map((operation) => {
    const { verb, message, effect } = OPERATIONS[operation];
    const status = ENDED_STATUS[operation];
    return routesOf<Caller>('Bookings').post(`${prefix}/:bookingId/${operation}`, `${operation}Booking`, {
      summary: `${verb} ${whichBooking}`,
      description: `${effect}${notes?.[operation] ?? ' No money is moved.'}`,
      params: { bookingId: bookingIdParam },
      body: endBody,
      responses: {
        200: { description: message, body: endedBooking(message, status), headers: ['Idempotent-Replayed'] },
      },
      errors: ['BOOKING_NOT_FOUND', 'IDEMPOTENCY_KEY_MISMATCH', 'INVALID_HOLD_STATE', ...errors],
      handle: async ({ caller, params: { bookingId }, body }) => {
        const input = { bookingId, reason: body.reason, idempotencyKey: body.idempotency_key };
        const { isReplay } = await endBooking(deps, actorOf(caller), operation, input);
        return replayable(ok({ message, booking_id: bookingId, status }), isReplay);
      },
    });
  });
}
