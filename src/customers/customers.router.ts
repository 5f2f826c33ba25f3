import type { Operator } from '../http/operator.ts';
import type { Route } from '../http/route.ts';
import { ok, route } from '../http/route.ts';
import { eraseBody, erasure } from './customers.schemas.ts';
import type { EraseDeps } from './erase-customer.service.ts';
import { eraseCustomer } from './erase-customer.service.ts';

/** Operator interface, "customers". */
export function customerRoutes(deps: EraseDeps): Route<Operator>[] {
  return [
    route<Operator, unknown, unknown, { customer_phone: string }>({
      method: 'post',
      path: '/api/v1/operator/customers/erase',
      operationId: 'eraseCustomer',
      tag: 'Customers',
      summary: 'Erase a customer from everything that is past',
      description:
        'Overwrites name, phone and email in the past bookings and purchases of every partner, the reasons given for ending them, and keys and payment references that hold one of the three. Refused while a booking is to come or package credit can be used; a refund after the erasure gives no credit back. Repeating it is safe.',
      body: eraseBody(deps.config.defaultRegion),
      answers: { 200: { description: 'What was overwritten.', body: erasure } },
      errors: ['CUSTOMER_HAS_UPCOMING_BOOKINGS'],
      handle: async ({ body }) => ok(await eraseCustomer(deps, body.customer_phone)),
    }),
  ];
}
