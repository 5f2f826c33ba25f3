import Joi from 'joi';
import { EXAMPLE } from '../../http/example-values.ts';
import { cursor, date, dateNotAfter, opaque, text, uuid, wallTime, wallTimeEnd } from '../../http/fields.ts';
import * as response from '../../http/response-fields.ts';
import { daysFrom, isCalendarDate } from '../../platform/calendar.ts';
import { isUuid } from '../../platform/ids.ts';
import type { SnakeCased } from '../../platform/objects.ts';
import type { Position } from '../../platform/pagination.ts';
import type { SlotSearch } from './slot-search.service.ts';

type DayQuery = { venue_id: string; date: string; resource_id?: string };
type RangeQuery = { venue_id: string; from: string; to: string; resource_id?: string };

const venueId = () => uuid().required().description('A venue granted to you.').example(EXAMPLE.venueId);
const oneResource = () => opaque(200).description('Only the slots of this resource.');

export const dayQuery = Joi.object<DayQuery>({
  venue_id: venueId(),
  date: date()
    .required()
    .description(
      "A calendar date in the venue's time zone; a slot belongs to the date on which its operating day begins.",
    )
    .example(EXAMPLE.date),
  resource_id: oneResource(),
});

export const MAX_RANGE_DAYS = 31;

export const rangeQuery = Joi.object<RangeQuery>({
  venue_id: venueId(),
  from: dateNotAfter('to').required().description('The first date, not after `to`.').example(EXAMPLE.date),
  to: date()
    .required()
    .custom((to: string, helpers) => {
      const [{ from }] = helpers.state.ancestors as [{ from?: unknown }];
      const isLong = typeof from === 'string' && isCalendarDate(from) && daysFrom(from, to) >= MAX_RANGE_DAYS;
      return isLong ? helpers.error('range.long') : to;
    })
    .messages({
      'range.long': `must be within ${MAX_RANGE_DAYS} days of the first date. Send several shorter ranges.`,
    })
    .description(`The last date, included; the range has at most ${MAX_RANGE_DAYS} days.`)
    .example('2026-11-22'),
  resource_id: oneResource(),
});

type SearchQuery = SnakeCased<Omit<SlotSearch, 'after'>> & { cursor?: Position };

const MAX_VENUES = 20;

const venueIds = () =>
  Joi.string()
    .custom((given: string, helpers) => {
      const ids = given.toLowerCase().split(',');
      if (ids.length > MAX_VENUES) return helpers.error('venues.many');
      return ids.every(isUuid) ? [...new Set(ids)] : helpers.error('venues.form');
    })
    .messages({
      'venues.many': `must have at most ${MAX_VENUES} venues. Send several searches.`,
      'venues.form': 'must be UUIDs separated by commas',
    })
    .meta({ jsonSchema: { pattern: '^[0-9A-Fa-f-]{36}(,[0-9A-Fa-f-]{36}){0,19}$' } });

export const searchQuery = Joi.object<SearchQuery>({
  date: date()
    .required()
    .description(
      "A calendar date in each venue's time zone; a slot belongs to the date on which its operating day begins.",
    )
    .example(EXAMPLE.date),
  venue_ids: venueIds().description(
    `Only these venues: at most ${MAX_VENUES} ids, separated by commas. Default: all your venues.`,
  ),
  sport: text(120).description('Only resources of this sport_category, ignoring case.'),
  city: text(100).description('Only venues in this city, ignoring case.'),
  from: wallTime().description(
    'Only slots that begin at or after this local time. Without `to`, this includes those after the next midnight.',
  ),
  to: wallTimeEnd()
    .custom((to: string, helpers) => {
      const [{ from }] = helpers.state.ancestors as [{ from?: unknown }];
      // Compare the raw text: `24:00` is converted to `00:00`, but from=00:00&to=24:00 is valid.
      return from === helpers.original ? helpers.error('time.range') : to;
    })
    .messages({ 'time.range': 'must not equal from: omit both for the whole day' })
    .description(
      'Only slots that begin before this local time. If it is earlier than `from`, it is after midnight: from=22:00&to=02:00. 24:00 is midnight.',
    ),
  cursor: cursor(),
});

export const UNAVAILABLE_REASONS = ['held', 'booked', 'blackout', 'past', 'beyond_horizon', 'inactive'] as const;

const unavailableReason = () =>
  response
    .growing(Joi.string().valid(...UNAVAILABLE_REASONS))
    .description('Why the slot is not available. It does not tell who holds the slot.');

const slotFields = {
  slot_id: response.slotId(),
  resource_id: response.resourceId(),
  slot_start: response.timestamp(EXAMPLE.slotStart),
  slot_end: response.timestamp(EXAMPLE.slotEnd),
  price_rupees: response.amount().description('The price of this slot, in rupees.'),
};

export const slot = response.named(
  'Slot',
  response.object({
    ...slotFields,
    is_available: Joi.boolean().description('`true` does not reserve the slot: only a hold does.').example(true),
    unavailable_reason: unavailableReason().optional(),
  }),
);

const freeSlot = {
  slot_id: EXAMPLE.slotId,
  resource_id: EXAMPLE.resourceId,
  slot_start: EXAMPLE.slotStart,
  slot_end: EXAMPLE.slotEnd,
  price_rupees: EXAMPLE.priceRupees,
  is_available: true,
};
export const otherFreeSlot = {
  ...freeSlot,
  slot_id: EXAMPLE.otherSlotId,
  slot_start: EXAMPLE.otherSlotStart,
  slot_end: EXAMPLE.otherSlotEnd,
};
const takenSlot = {
  ...otherFreeSlot,
  price_rupees: 1500,
  is_available: false,
  unavailable_reason: 'booked',
};

const slots = () =>
  Joi.array()
    .items(slot)
    .description('All slots of the schedule, including taken ones, sorted by resource_id, then by slot_start.')
    .example([freeSlot, takenSlot]);

export const availability = response.named(
  'Availability',
  response.object({ venue_id: response.id(EXAMPLE.venueId), date: response.day(), slots: slots() }),
);

export const availabilityRange = response.named(
  'AvailabilityRange',
  response.object({
    venue_id: response.id(EXAMPLE.venueId),
    from: response.day(),
    to: response.day(),
    days: Joi.array()
      .items(response.object({ date: response.day(), slots: slots() }))
      .description('One item for each date, in order.'),
  }),
);

export const freeSlotPage = response.pageOf(
  response.named(
    'FreeSlot',
    response.object({
      venue_id: response.id(EXAMPLE.venueId),
      ...slotFields,
      is_available: Joi.boolean().valid(true).description('Only a hold reserves the slot.').example(true),
    }),
  ),
);
