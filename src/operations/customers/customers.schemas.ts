import Joi from 'joi';
import { uuid } from '../../http/fields.ts';
import { customerPhone } from '../../http/order-fields.ts';
import { count, object } from '../../http/response-fields.ts';

export type EraseBody = { customer_phone?: string; booking_id?: string };

export const eraseBody = (region: string) =>
  Joi.object<EraseBody>({
    customer_phone: customerPhone(region),
    booking_id: uuid().description(
      'A booking of the customer. Everything with its phone is erased; if it has no phone, as some walk-ins, this booking alone.',
    ),
  })
    .xor('customer_phone', 'booking_id')
    .messages({
      'object.missing': 'give either customer_phone or booking_id',
      'object.xor': 'give either customer_phone or booking_id, not both',
    })
    .description('Either customer_phone or booking_id.')
    .required();

export const erasure = object({
  bookings: count(12).description('How many bookings, including walk-ins, were overwritten.'),
  holds: count(2).description('How many holds without a booking were overwritten.'),
  purchases: count(1).description('How many package purchases were overwritten.'),
});
