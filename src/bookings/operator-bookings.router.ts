import { listOf } from '../http/response-fields.ts';
import type { Operator, Route } from '../http/route.ts';
import { listing, ok, replayable, route } from '../http/route.ts';
import { encodeCursor } from '../platform/pagination.ts';
import { operatorActor } from '../reservations/actor-types.ts';
import type { ReservationDeps } from '../reservations/reservations.service.ts';
import { listInput } from './booking-list.rules.ts';
import { timelineEntry } from './booking-timeline.schemas.ts';
import { readTimeline } from './booking-timeline.service.ts';
import { bookingView, timelineEntryView } from './booking-view.rules.ts';
import type { EndBody, OperatorListQuery } from './bookings.schemas.ts';
import {
  bookingIdParam,
  bookingPage,
  booking as bookingSchema,
  endBody,
  endedBooking,
  operatorListQuery,
} from './bookings.schemas.ts';
import type { BookingDeps } from './bookings.service.ts';
import { getBooking, listBookings } from './bookings.service.ts';
import type { EndOperation } from './end-booking.service.ts';
import { ENDED_STATUS, endBooking } from './end-booking.service.ts';

type BookingParams = { bookingId: string };

const PREFIX = '/api/v1/operator/bookings';
const params = { bookingId: bookingIdParam };

/** What operators do with the bookings of every partner, walk-ins included. */
export function operatorBookingRoutes(deps: BookingDeps & ReservationDeps): Route<Operator>[] {
  return [
    route<Operator, unknown, OperatorListQuery>({
      method: 'get',
      path: PREFIX,
      operationId: 'listBookings',
      tag: 'Bookings',
      summary: 'List the bookings of all partners, newest first',
      query: operatorListQuery(deps.config.defaultRegion),
      responses: { 200: { description: 'A page of bookings.', body: bookingPage } },
      errors: [],
      handle: async ({ query }) => {
        const { rows, next } = await listBookings(deps, query.partner_id, listInput(query));
        return listing(rows.map(bookingView), encodeCursor(next));
      },
    }),
    route<Operator, BookingParams>({
      method: 'get',
      path: `${PREFIX}/:bookingId`,
      operationId: 'getBooking',
      tag: 'Bookings',
      summary: "Read any partner's booking",
      params,
      responses: { 200: { description: 'The booking as it is now.', body: bookingSchema } },
      errors: ['BOOKING_NOT_FOUND'],
      handle: async ({ params: { bookingId } }) =>
        ok(bookingView(await getBooking(deps, undefined, bookingId))),
    }),
    route<Operator, BookingParams>({
      method: 'get',
      path: `${PREFIX}/:bookingId/timeline`,
      operationId: 'getTimeline',
      tag: 'Bookings',
      summary: 'Read everything that happened to a booking',
      description:
        'From the hold on, oldest first: each event with who made it, and its deliveries with their attempts. What has just happened is there before it is dispatched.',
      params,
      responses: {
        200: {
          description:
            'The events, oldest first. Those whose time is over (RETENTION_EVENTS_DAYS, from the end of the slot on) are gone.',
          body: listOf(timelineEntry),
        },
      },
      errors: ['BOOKING_NOT_FOUND'],
      handle: async ({ params: { bookingId } }) =>
        listing((await readTimeline(deps, bookingId)).map(timelineEntryView)),
    }),
    endRoute(deps, 'cancel', "Cancel any partner's booking", 'Booking cancelled successfully'),
    endRoute(deps, 'refund', "Refund any partner's booking", 'Booking refunded successfully'),
  ];
}

const EFFECT = {
  cancel: 'Frees the slot of a booked booking.',
  refund:
    'Frees the slot if it was still booked; a cancelled booking can be refunded too. A package credit that was consumed comes back.',
} as const;

const KEYS =
  'The change is made as the built-in partner `platform`. The keys of operators are one namespace for all bookings, apart from those of the partners.';

function endRoute(
  deps: ReservationDeps,
  operation: EndOperation,
  summary: string,
  message: string,
): Route<Operator> {
  return route<Operator, BookingParams, unknown, EndBody>({
    method: 'post',
    path: `${PREFIX}/:bookingId/${operation}`,
    operationId: `${operation}Booking`,
    tag: 'Bookings',
    summary,
    description: `${EFFECT[operation]} No money is moved. ${KEYS}`,
    params,
    body: endBody,
    responses: {
      200: {
        description: message,
        body: endedBooking(message, ENDED_STATUS[operation]),
        headers: ['Idempotent-Replayed'],
      },
    },
    errors: ['BOOKING_NOT_FOUND', 'IDEMPOTENCY_KEY_MISMATCH', 'INVALID_HOLD_STATE'],
    handle: async ({ caller, params: { bookingId }, body }) => {
      const input = { bookingId, reason: body.reason, idempotencyKey: body.idempotency_key };
      const { isReplay } = await endBooking(deps, operatorActor(caller), operation, input);
      return replayable(ok({ message, booking_id: bookingId, status: ENDED_STATUS[operation] }), isReplay);
    },
  });
}
