import Joi from 'joi';
import { uuid } from '../../http/fields.ts';
import { customerPhone } from '../../http/order-fields.ts';
import { count, object } from '../../http/response-fields.ts';
import { type Operator, ok, type Route, routesOf } from '../../http/route.ts';
import { type EraseDeps, eraseCustomer } from './erase-customer.service.ts';

const operatorRoute = routesOf<Operator>('Customers');

type EraseBody = { customer_phone?: string; booking_id?: string };

const eraseBody = (region: string) =>
  Joi.object<EraseBody>({
    customer_phone: customerPhone(region),
    booking_id: uuid().description(
      'A booking of the customer. Everything with its phone is erased. If it has no phone (some walk-ins), only this booking is erased.',
    ),
  })
    .xor('customer_phone', 'booking_id')
    .messages({
      'object.missing': 'give either customer_phone or booking_id',
      'object.xor': 'give either customer_phone or booking_id, not both',
    })
    .description('Either customer_phone or booking_id.')
    .required();

const erasure = object({
  bookings: count(12).description('How many bookings, including walk-ins, were overwritten.'),
  holds: count(2).description('How many holds without a booking were overwritten.'),
  purchases: count(1).description('How many package purchases were overwritten.'),
});

export function customerRoutes(deps: EraseDeps): Route<Operator>[] {
  return [
    operatorRoute.post('/api/v1/operator/customers/erase', 'eraseCustomer', {
      summary: 'Erase a customer from past bookings and purchases',
      description:
        'Overwrites name, phone, email, metadata and ending reasons in the past bookings and purchases of every partner. Also overwrites idempotency keys, payment and order references, holds and receivers’ responses that contain the name, phone or email. Rejected while the customer has an upcoming booking or usable package credit; a refund after the erasure returns no credit. Safe to repeat. Backups and the database’s oplog keep the old values until they expire.',
      body: eraseBody(deps.config.defaultRegion),
      responses: { 200: { description: 'The number of overwritten objects.', body: erasure } },
      errors: ['BOOKING_NOT_FOUND', 'CUSTOMER_HAS_UPCOMING_BOOKINGS'],
      takesLong: true,
      handle: async ({ body: { booking_id: bookingId, customer_phone: phone = '' } }) =>
        ok(await eraseCustomer(deps, bookingId === undefined ? { customerPhone: phone } : { bookingId })),
    }),
  ];
}
