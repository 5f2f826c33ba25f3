import { listOf } from '../../http/response-fields.ts';
import { created, listing, type Operator, ok, paged, type Route, routesOf } from '../../http/route.ts';
import { camelCased } from '../../platform/objects.ts';
import { operatorActor } from '../../reservations/actor-types.ts';
import type { ReservationDeps } from '../../reservations/reservations.service.ts';
import { listInput, operatorListQuery } from './booking-list.schemas.ts';
import { timelineEntry } from './booking-timeline.schemas.ts';
import { bookingView, timelineEntryView } from './booking-view.rules.ts';
import * as schemas from './bookings.schemas.ts';
import { type BookingDeps, getBooking, listBookings, readTimeline } from './bookings.service.ts';
import { endRoutes } from './end-booking-routes.ts';
import { placeWalkIn, type WalkInDeps } from './walk-ins.service.ts';

const bookingsRoute = routesOf<Operator>('Bookings');
const walkInsRoute = routesOf<Operator>('Walk-ins');

const PREFIX = '/api/v1/operator/bookings';
const params = { bookingId: schemas.bookingIdParam };

const KEYS =
  'The change is made as the built-in partner `platform`. Idempotency keys of operators are one namespace for all bookings, separate from those of partners.';

export function operatorBookingRoutes(deps: BookingDeps & ReservationDeps): Route<Operator>[] {
  return [
    bookingsRoute.get(PREFIX, 'listBookings', {
      summary: 'List the bookings of all partners, newest first',
      query: operatorListQuery(deps.config.defaultRegion),
      responses: { 200: { description: 'A page of bookings.', body: schemas.bookingPage } },
      handle: async ({ query }) => paged(await listBookings(deps, query.partner_id, listInput(query)), bookingView),
    }),
    bookingsRoute.get(`${PREFIX}/:bookingId`, 'getBooking', {
      summary: "Read any partner's booking",
      params,
      responses: { 200: { description: 'The booking as it is now.', body: schemas.booking } },
      errors: ['BOOKING_NOT_FOUND'],
      handle: async ({ params: { bookingId } }) => ok(bookingView(await getBooking(deps, undefined, bookingId))),
    }),
    bookingsRoute.get(`${PREFIX}/:bookingId/timeline`, 'getTimeline', {
      summary: 'Read the timeline of a booking',
      description:
        'All events from the hold on, oldest first, each with its actor and its deliveries with their attempts. Events are listed even before they are dispatched.',
      params,
      responses: {
        200: {
          description:
            'The events, oldest first, without those that were deleted (RETENTION_EVENTS_DAYS after the end of the slot).',
          body: listOf(timelineEntry),
        },
      },
      errors: ['BOOKING_NOT_FOUND'],
      handle: async ({ params: { bookingId } }) =>
        listing((await readTimeline(deps, bookingId)).map(timelineEntryView)),
    }),
    ...endRoutes<Operator>(deps, {
      prefix: PREFIX,
      whichBooking: "any partner's booking",
      notes: {
        cancel: ` No money is moved. ${KEYS}`,
        refund: ` Returns a consumed package credit. No money is moved. ${KEYS}`,
      },
      actorOf: operatorActor,
    }),
  ];
}

export function walkInRoutes(deps: WalkInDeps): Route<Operator>[] {
  return [
    walkInsRoute.post('/api/v1/operator/walk-ins', 'placeWalkIn', {
      summary: 'Book a slot for somebody at the venue',
      description:
        'Made as the built-in partner `platform`. A slot that has begun can still be sold; a slot more than three years ahead cannot.',
      body: schemas.walkInBody(deps.config.defaultRegion),
      responses: { 201: { description: 'The booking.', body: schemas.booking } },
      errors: ['VENUE_NOT_FOUND', 'SLOT_NOT_FOUND', 'SLOT_NOT_AVAILABLE'],
      handle: async ({ caller, body }) => {
        const input = { customerName: null, customerPhone: null, ...camelCased(body), actor: operatorActor(caller) };
        return created(bookingView(await placeWalkIn(deps, input)));
      },
    }),
  ];
}
