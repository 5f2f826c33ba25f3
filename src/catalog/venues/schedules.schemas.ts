import Joi from 'joi';
import { date, list, wallTime, wallTimeEnd } from '../../http/fields.ts';
import { day, named, object, resourceId } from '../../http/response-fields.ts';
import { WEEKDAYS } from '../../platform/calendar.ts';
import type { Schedule } from './venues.model.ts';
import { withOffSale } from './venues.schemas.ts';

const MAX_OPENINGS_OF_DAY = 24;
const MAX_EXCEPTIONS = 366;

const opening = Joi.object({
  start: wallTime().required().example('06:00'),
  end: wallTimeEnd()
    .required()
    .description(
      'If not after the start, it is on the next day. 00:00 to 00:00 is the whole day. 24:00 is stored as 00:00.',
    )
    .example('12:00'),
});
const openings = () => list(opening, MAX_OPENINGS_OF_DAY);

const WEEK = "The openings of each day of the week in the venue's time zone; a day without openings is closed.";
const EXCEPTIONS =
  'Dates with hours that differ from their day of the week. Without openings the date is closed, except for hours that began the evening before.';

export type ScheduleBody = { weekly: Schedule['weekly']; exceptions: Schedule['exceptions'] };

export const scheduleBody = Joi.object<ScheduleBody>({
  weekly: Joi.object(Object.fromEntries(WEEKDAYS.map((weekday) => [weekday, openings().default([])])))
    // Elsewhere unknown fields are ignored, but a misspelt day would be closed.
    .unknown(false)
    .messages({ 'object.unknown': `is not a day of the week. The days are ${WEEKDAYS.join(', ')}.` })
    .required()
    .description(
      `${WEEK} Openings must not overlap, not even across midnight. Unlike elsewhere, an unknown field is rejected.`,
    )
    .example({
      mon: [
        { start: '06:00', end: '12:00' },
        { start: '16:00', end: '23:00' },
      ],
      sat: [{ start: '18:00', end: '02:00' }],
    }),
  exceptions: list(Joi.object({ date: date().required(), hours: openings().required() }), MAX_EXCEPTIONS)
    .default([])
    .description(`${EXCEPTIONS} Each date once.`)
    .example([{ date: '2026-12-25', hours: [] }]),
}).required();

const openingsView = () =>
  Joi.array()
    .items(object({ start: wallTime().example('06:00'), end: wallTime().example('23:00') }))
    .example([{ start: '06:00', end: '23:00' }]);

export const schedule = named(
  'Schedule',
  object({
    resource_id: resourceId(),
    weekly: object(Object.fromEntries(WEEKDAYS.map((weekday) => [weekday, openingsView()]))).description(WEEK),
    exceptions: Joi.array()
      .items(object({ date: day('2026-12-25'), hours: openingsView().example([]) }))
      .description(`${EXCEPTIONS} Sorted by date.`)
      .example([{ date: '2026-12-25', hours: [] }]),
  }),
);

export const scheduleWithConflicts = withOffSale('ScheduleWithConflicts', schedule);
