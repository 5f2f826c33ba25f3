import { omitUndefined } from '../platform/omit-undefined.ts';
import type { Position } from '../platform/pagination.ts';
import type { ListBookings } from './bookings.service.ts';

type Query = {
  venue_id?: string;
  from?: string;
  to?: string;
  status?: 'BOOKED' | 'CANCELLED' | 'REFUNDED';
  hold_id?: string;
  payment_reference?: string;
  order_reference?: string;
  customer_phone?: string;
  customer_name?: string;
  q?: string;
  slot_from?: string;
  slot_to?: string;
  limit: number;
  cursor?: Position;
};

/** The query of a listing of bookings, in the service's names. */
export function listInput(query: Query): ListBookings {
  const filter = omitUndefined({
    venueId: query.venue_id,
    from: query.from,
    to: query.to,
    status: query.status,
    holdId: query.hold_id,
    paymentReference: query.payment_reference,
    orderReference: query.order_reference,
    customerPhone: query.customer_phone,
    customerName: query.customer_name,
    search: query.q,
    slotFrom: query.slot_from,
    slotTo: query.slot_to,
    after: query.cursor,
  });
  return { ...filter, limit: query.limit };
}
