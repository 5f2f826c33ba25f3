import Joi from 'joi';
import { count, shape } from '../http/answer-fields.ts';
import { customerPhone } from '../http/fields.ts';

export const eraseBody = (region: string) =>
  Joi.object<{ customer_phone: string }>({ customer_phone: customerPhone(region).required() }).required();

export const erasure = shape({
  bookings: count(12).description('How many bookings, walk-ins included, were overwritten.'),
  purchases: count(1).description('How many package purchases were.'),
});
