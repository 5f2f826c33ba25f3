import Joi from 'joi';
import {
  cursor,
  customerPhone,
  date,
  dateNotAfter,
  idempotencyKey,
  pageLimit,
  prose,
  text,
  uuid,
} from '../http/fields.ts';
import type { Route } from '../http/route.ts';
import { created, listing, ok, replayable, route } from '../http/route.ts';
import type { PartnerCaller } from '../partners/partners.service.ts';
import { defined } from '../platform/defined.ts';
import type { Position } from '../platform/pagination.ts';
import { encodeCursor } from '../platform/pagination.ts';
import { bookingView, confirmView } from './booking-view.rules.ts';
import type { BookingDeps } from './bookings.service.ts';
import { getBooking, listBookings } from './bookings.service.ts';
import type { ConfirmDeps } from './confirm-booking.service.ts';
import { confirmBooking } from './confirm-booking.service.ts';
import type { EndOperation } from './end-booking.service.ts';
import { ENDED_STATUS, endBooking } from './end-booking.service.ts';

type ConfirmBody = {
  hold_id: string;
  payment_reference: string;
  customer_name: string;
  customer_phone: string;
  customer_email?: string;
  use_package_credit: boolean;
  idempotency_key: string;
};

const confirmBody = (region: string) =>
  Joi.object<ConfirmBody>({
    hold_id: text(100).required(),
    payment_reference: text(255).required(),
    customer_name: text(120).required(),
    customer_phone: customerPhone(region).required(),
    customer_email: Joi.string().email({ tlds: false }).max(254),
    use_package_credit: Joi.boolean().default(false),
    idempotency_key: idempotencyKey().required(),
  }).required();

type ListQuery = {
  venue_id?: string;
  from?: string;
  to?: string;
  status?: 'BOOKED' | 'CANCELLED' | 'REFUNDED';
  customer_phone?: string;
  customer_name?: string;
  limit: number;
  cursor?: Position;
};

const listQuery = (region: string) =>
  Joi.object<ListQuery>({
    venue_id: uuid(),
    from: dateNotAfter('to'),
    to: date(),
    status: Joi.string().valid('BOOKED', 'CANCELLED', 'REFUNDED'),
    customer_phone: customerPhone(region),
    customer_name: text(120),
    limit: pageLimit(),
    cursor: cursor(),
  });

type EndBody = { reason: string; idempotency_key: string };

const endBody = Joi.object<EndBody>({
  reason: prose(500).required(),
  idempotency_key: idempotencyKey().required(),
}).required();

type BookingParams = { bookingId: string };

/** Contract "Bookings" and "Cancel and refund". */
export function bookingRoutes(deps: BookingDeps & ConfirmDeps): Route<PartnerCaller>[] {
  return [
    route<PartnerCaller, unknown, unknown, ConfirmBody>({
      method: 'post',
      path: '/api/v1/bookings/confirm',
      summary: 'Confirm a hold into a booking',
      body: confirmBody(deps.config.defaultRegion),
      handle: async ({ caller, body }) => {
        const { booking, isReplay } = await confirmBooking(deps, caller.partnerId, {
          holdId: body.hold_id,
          paymentReference: body.payment_reference,
          customerName: body.customer_name,
          customerPhone: body.customer_phone,
          customerEmail: body.customer_email ?? null,
          usePackageCredit: body.use_package_credit,
          idempotencyKey: body.idempotency_key,
        });
        return replayable(created(confirmView(booking)), isReplay);
      },
    }),
    route<PartnerCaller, unknown, ListQuery>({
      method: 'get',
      path: '/api/v1/bookings',
      summary: 'List your bookings, newest first',
      query: listQuery(deps.config.defaultRegion),
      handle: async ({ caller, query }) => {
        const filter = defined({
          venueId: query.venue_id,
          from: query.from,
          to: query.to,
          status: query.status,
          customerPhone: query.customer_phone,
          customerName: query.customer_name,
          after: query.cursor,
        });
        const { rows, next } = await listBookings(deps, caller.partnerId, { ...filter, limit: query.limit });
        return listing(rows.map(bookingView), encodeCursor(next));
      },
    }),
    route<PartnerCaller, BookingParams>({
      method: 'get',
      path: '/api/v1/bookings/:bookingId',
      summary: 'Read a booking',
      handle: async ({ caller, params }) =>
        ok(bookingView(await getBooking(deps, caller.partnerId, params.bookingId))),
    }),
    endRoute(deps, 'cancel', 'Cancel a booking', 'Booking cancelled successfully'),
    endRoute(deps, 'refund', 'Refund a booking', 'Booking refunded successfully'),
  ];
}

function endRoute(
  deps: ConfirmDeps,
  operation: EndOperation,
  summary: string,
  message: string,
): Route<PartnerCaller> {
  return route<PartnerCaller, BookingParams, unknown, EndBody>({
    method: 'post',
    path: `/api/v1/bookings/:bookingId/${operation}`,
    summary,
    body: endBody,
    handle: async ({ caller, params: { bookingId }, body }) => {
      const input = { bookingId, reason: body.reason, idempotencyKey: body.idempotency_key };
      const { isReplay } = await endBooking(deps, caller.partnerId, operation, input);
      return replayable(ok({ message, booking_id: bookingId, status: ENDED_STATUS[operation] }), isReplay);
    },
  });
}
