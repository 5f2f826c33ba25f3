import Joi from 'joi';
import { EXAMPLE } from '../http/example-values.ts';
import { pathId } from '../http/fields.ts';
import { count, id, object, slotId } from '../http/response-fields.ts';

type OtherChannelBody = { override_holds: boolean };

export const otherChannelBody = Joi.object<OtherChannelBody>({
  override_holds: Joi.boolean()
    .default(false)
    .description('Also sell a slot that you hold. Confirming that hold is then DOUBLE_BOOKING_ATTEMPT.'),
}).required();

export const slotIdParam = pathId('`slot_id` as availability lists it.', EXAMPLE.slotId);

const simulatedSale = (status: 'BOOKED' | 'CANCELLED') =>
  object({
    slot_id: slotId(),
    booking_id: id(EXAMPLE.bookingId).description("The venue's booking, which you cannot read."),
    status: Joi.string().valid(status).example(status),
  });

export const soldSlot = simulatedSale('BOOKED');
export const releasedSlot = simulatedSale('CANCELLED');

export const resetCounts = object({
  subscriptions: count(1).description('Removed with their waiting deliveries.'),
  holds: count(2).description('Released.'),
  bookings: count(1).description('Cancelled.'),
});
