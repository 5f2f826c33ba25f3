import { type Operator, ok, type Route, route } from '../../http/route.ts';
import { type EraseBody, eraseBody, erasure } from './customers.schemas.ts';
import { type EraseDeps, eraseCustomer } from './erase-customer.service.ts';

export function customerRoutes(deps: EraseDeps): Route<Operator>[] {
  return [
    route<Operator, unknown, unknown, EraseBody>({
      method: 'post',
      path: '/api/v1/operator/customers/erase',
      operationId: 'eraseCustomer',
      tag: 'Customers',
      summary: 'Erase a customer from past bookings and purchases',
      description:
        'Overwrites name, phone and email in the past bookings and purchases of every partner, the reasons given for ending them, their metadata, and keys, payment and order references, holds and receivers’ responses that contain one of the three. Rejected while the customer has an upcoming booking or usable package credit; a refund after the erasure returns no credit. Safe to repeat. Backups and the database’s oplog keep the old values until they expire.',
      body: eraseBody(deps.config.defaultRegion),
      responses: { 200: { description: 'The number of overwritten objects.', body: erasure } },
      errors: ['BOOKING_NOT_FOUND', 'CUSTOMER_HAS_UPCOMING_BOOKINGS'],
      takesLong: true,
      handle: async ({ body: { booking_id: bookingId, customer_phone: customerPhone = '' } }) =>
        ok(await eraseCustomer(deps, bookingId === undefined ? { customerPhone } : { bookingId })),
    }),
  ];
}
