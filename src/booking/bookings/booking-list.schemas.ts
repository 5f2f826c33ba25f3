import Joi from 'joi';
import { cursor, date, dateNotAfter, opaque, type PageQuery, pageLimit, text, uuid } from '../../http/fields.ts';
import { customerPhone, orderReference } from '../../http/order-fields.ts';
import { camelCased, omitUndefined, type SnakeCased } from '../../platform/objects.ts';
import { SHORT_SEARCH, searchOf } from '../../reservations/customer.rules.ts';
import { BOOKING_STATUSES } from './bookings.schemas.ts';
import type { ListBookings } from './bookings.service.ts';

export type ListQuery = SnakeCased<Omit<ListBookings, 'after' | 'search'>> & PageQuery;

const filters = (region: string) => ({
  venue_id: uuid().description('Only bookings at this venue.'),
  from: dateNotAfter('to').description(
    "The first date of booked_at, in the time zone of the venue, or in the service's zone if venue_id is omitted.",
  ),
  to: date().description('The last date of booked_at, included.'),
  status: Joi.string().valid(...BOOKING_STATUSES),
  hold_id: uuid().description('Only the booking that this hold became.'),
  payment_reference: opaque(255).description('Only bookings with exactly this reference.'),
  order_reference: orderReference().description('Only bookings with exactly this order_reference.'),
  customer_phone: customerPhone(region).description('Only bookings of this phone number, in any notation.'),
  customer_name: text(120).description('The beginning of the name. Case and surrounding blanks are ignored.'),
  slot_from: dateNotAfter('slot_to').description(
    "The slot begins on this date or later, in the time zone of the venue, or in the service's zone if venue_id is omitted.",
  ),
  slot_to: date().description('The slot begins on this date or earlier.'),
  limit: pageLimit(),
  cursor: cursor(),
});

export const listQuery = (region: string) => Joi.object<ListQuery>(filters(region));

type OperatorListQuery = ListQuery & { partner_id?: string; q?: string };

export const operatorListQuery = (region: string) =>
  Joi.object<OperatorListQuery>({
    partner_id: uuid().description("Only this partner's bookings; use `platform` for walk-ins."),
    q: text(120)
      .custom((value: string, helpers) => (searchOf(value) === undefined ? helpers.error('string.search') : value))
      .messages({ 'string.search': SHORT_SEARCH })
      .description(
        'Finds by one text: the whole id of a booking or of its hold; the beginnings of words of the name (every word must match); or the last 3 or more digits of the phone.',
      )
      .example('rao'),
    ...filters(region),
  });

export const listInput = ({ q: search, cursor: after, ...rest }: OperatorListQuery): ListBookings => ({
  ...camelCased(rest),
  ...omitUndefined({ search, after }),
});
