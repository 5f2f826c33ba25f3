import { created, ok, paged, type Route, replayable, routesOf } from '../../http/route.ts';
import type { PartnerCaller } from '../../partners/partners.service.ts';
import { camelCased } from '../../platform/objects.ts';
import { partnerActor } from '../../reservations/actor-types.ts';
import { listInput, listQuery } from './booking-list.schemas.ts';
import { bookingView, confirmView } from './booking-view.rules.ts';
import * as schemas from './bookings.schemas.ts';
import { type BookingDeps, getBooking, listBookings } from './bookings.service.ts';
import { type ConfirmDeps, confirmBooking } from './confirm-booking.service.ts';
import { endRoutes } from './end-booking-routes.ts';

const partnerRoute = routesOf<PartnerCaller>('Bookings');

export function bookingRoutes(deps: BookingDeps & ConfirmDeps): Route<PartnerCaller>[] {
  return [
    partnerRoute.post('/api/v1/bookings/confirm', 'confirmBooking', {
      summary: 'Confirm a hold into a booking',
      description:
        'Confirm before hold_expiry_at. No money is moved. The same key for the same hold returns the same booking.',
      body: schemas.confirmBody(deps.config.defaultRegion),
      responses: {
        201: { description: 'The slot is booked.', body: schemas.confirmation, headers: ['Idempotent-Replayed'] },
      },
      errors: [
        'HOLD_NOT_FOUND',
        'VENUE_NOT_AUTHORIZED',
        'HOLD_EXPIRED',
        'INVALID_HOLD_STATE',
        'NO_PACKAGE_CREDIT',
        'DOUBLE_BOOKING_ATTEMPT',
        'IDEMPOTENCY_KEY_MISMATCH',
      ],
      handle: async ({ caller, body }) => {
        const { booking, isReplay } = await confirmBooking(deps, partnerActor(caller), camelCased(body));
        return replayable(created(confirmView(booking)), isReplay);
      },
    }),
    partnerRoute.get('/api/v1/bookings', 'listBookings', {
      summary: 'List your bookings, newest first',
      query: listQuery(deps.config.defaultRegion),
      responses: { 200: { description: 'A page of your bookings.', body: schemas.bookingPage } },
      handle: async ({ caller, query }) =>
        paged(await listBookings(deps, caller.partnerId, listInput(query)), bookingView),
    }),
    partnerRoute.get('/api/v1/bookings/:bookingId', 'getBooking', {
      summary: 'Read a booking',
      params: { bookingId: schemas.bookingIdParam },
      responses: { 200: { description: 'The booking as it is now.', body: schemas.booking } },
      errors: ['BOOKING_NOT_FOUND'],
      notOffered:
        'To end a booking, call POST /api/v1/bookings/{bookingId}/cancel or POST /api/v1/bookings/{bookingId}/refund.',
      handle: async ({ caller, params }) => ok(bookingView(await getBooking(deps, caller.partnerId, params.bookingId))),
    }),
    ...endRoutes<PartnerCaller>(deps, {
      prefix: '/api/v1/bookings',
      whichBooking: 'a booking',
      errors: ['UNAUTHORIZED'],
      actorOf: partnerActor,
    }),
  ];
}
