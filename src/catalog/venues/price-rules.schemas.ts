import Joi from 'joi';
import { EXAMPLE } from '../../http/example-values.ts';
import { date, dateNotAfter, list, pathId, rupees, text, wallTime, wallTimeEnd } from '../../http/fields.ts';
import { amount, day, id, listOf, named, object, orNull, resourceId, timestamp } from '../../http/response-fields.ts';
import { WEEKDAYS, type Weekday } from '../../platform/calendar.ts';

export type PriceRuleBody = {
  name: string;
  price_rupees?: number;
  multiplier?: number;
  days_of_week?: Weekday[];
  start_time?: string;
  end_time?: string;
  from_date?: string;
  to_date?: string;
  priority: number;
};

const name = () => text(120).example('Saturday evenings');
const days = () =>
  list(Joi.string().valid(...WEEKDAYS), WEEKDAYS.length)
    .description(
      'Days of the week; absent: any. The rule applies to its hours that begin on such an operating day: Saturday 18:00 to 02:00 includes the hours after midnight.',
    )
    .example(['sat']);
const startTime = () =>
  wallTime()
    .description("Slots that start at or after this time in the venue's time zone; absent: from midnight.")
    .example('18:00');
const UP_TO =
  'Slots that start before this time; absent: until midnight. If it is not after the start time, it is on the next day.';
const endTime = () => wallTimeEnd().description(`${UP_TO} 24:00 is stored as 00:00.`).example('02:00');
const fromDate = 'The first operating date on which the hours of the rule begin; absent: any.';
const toDate = 'The last operating date on which the hours of the rule begin, included; absent: any.';
const priority = () =>
  Joi.number()
    .integer()
    .min(-1000)
    .max(1000)
    .description('The matching rule with the highest priority applies; among equals, the newest.');
const multiplier = () =>
  Joi.number().min(0.1).max(10).description('Times the base price, rounded to whole paise; at most four decimals.');

export const priceRuleBody = Joi.object<PriceRuleBody>({
  name: name().required(),
  price_rupees: rupees().description('Rupees, with at most two decimals. Either this or multiplier.').example(1500),
  multiplier: multiplier()
    .custom((value: number, helpers) => (Number(value.toFixed(4)) === value ? value : helpers.error('number.decimals')))
    .messages({ 'number.decimals': 'must have at most four decimals' }),
  days_of_week: days().min(1).unique(),
  start_time: startTime(),
  end_time: endTime(),
  from_date: dateNotAfter('to_date').description(fromDate).example('2026-11-01'),
  to_date: date().description(toDate).example('2026-12-31'),
  priority: priority().default(0),
})
  .xor('price_rupees', 'multiplier')
  .messages({
    'object.xor': 'Send either price_rupees or multiplier, not both.',
    'object.missing': 'Send either price_rupees or multiplier.',
  })
  .description('Either price_rupees or multiplier is required.')
  .required();

export const priceRuleIdParam = pathId('`price_rule_id` as listed.', EXAMPLE.priceRuleId);

export const priceRule = named(
  'PriceRule',
  object({
    price_rule_id: id(EXAMPLE.priceRuleId),
    resource_id: resourceId(),
    name: name(),
    price_rupees: orNull(amount(1500)),
    multiplier: orNull(multiplier()).example(null),
    days_of_week: orNull(days()).example(['sat']),
    start_time: orNull(startTime()).example('18:00'),
    end_time: orNull(wallTime().description(UP_TO)).example('02:00'),
    from_date: orNull(day()).description(fromDate).example(null),
    to_date: orNull(day()).description(toDate).example(null),
    priority: priority().example(0),
    created_at: timestamp(),
  }),
);
export const priceRules = listOf(priceRule);
