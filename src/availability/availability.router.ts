import Joi from 'joi';
import { date, dateNotAfter, text, uuid } from '../http/fields.ts';
import type { Answer, Route } from '../http/route.ts';
import { ok, route } from '../http/route.ts';
import type { PartnerCaller } from '../partners/partners.service.ts';
import { datesBetween, daysFrom } from '../platform/calendar.ts';
import { defined } from '../platform/defined.ts';
import type { AvailabilityDeps } from './availability.service.ts';
import { readAvailability } from './availability.service.ts';
import { slotView } from './slot-view.rules.ts';

type DayQuery = { venue_id: string; date: string; resource_id?: string };
type RangeQuery = { venue_id: string; from: string; to: string; resource_id?: string };

const dayQuery = Joi.object<DayQuery>({
  venue_id: uuid().required(),
  date: date().required(),
  resource_id: text(200),
});

/** Decisions §2. */
const MAX_RANGE_DAYS = 31;

const rangeQuery = Joi.object<RangeQuery>({
  venue_id: uuid().required(),
  from: dateNotAfter('to').required(),
  to: date().required(),
  resource_id: text(200),
})
  .custom((query: RangeQuery, helpers) =>
    daysFrom(query.from, query.to) >= MAX_RANGE_DAYS ? helpers.error('range.long') : query,
  )
  .messages({ 'range.long': `from and to span more than ${MAX_RANGE_DAYS} days. Ask for less at once.` });

/** Contract "Availability". */
export function availabilityRoutes(deps: AvailabilityDeps): Route<PartnerCaller>[] {
  return [
    route<PartnerCaller, unknown, DayQuery>({
      method: 'get',
      path: '/api/v1/slots/availability',
      summary: 'Read the slots of a venue on one date',
      query: dayQuery,
      handle: async ({ caller, query }) => {
        const { venue_id: venueId, date: day, resource_id: resourceId } = query;
        const wanted = { venueId, dates: [day], ...defined({ resourceId }) };
        const slots = await readAvailability(deps, caller.partnerId, wanted);
        return revalidated({ venue_id: venueId, date: day, slots: slots.map(slotView) });
      },
    }),
    route<PartnerCaller, unknown, RangeQuery>({
      method: 'get',
      path: '/api/v1/slots/availability/range',
      summary: 'Read the slots of a venue on several dates',
      query: rangeQuery,
      handle: async ({ caller, query }) => {
        const { venue_id: venueId, from, to, resource_id: resourceId } = query;
        const dates = datesBetween(from, to);
        const wanted = { venueId, dates, ...defined({ resourceId }) };
        const slots = await readAvailability(deps, caller.partnerId, wanted);
        const days = dates.map((day) => ({
          date: day,
          slots: slots.filter((slot) => slot.date === day).map(slotView),
        }));
        return revalidated({ venue_id: venueId, from, to, days });
      },
    }),
  ];
}

/** Kept only to be revalidated: Express answers 304 where If-None-Match has the ETag that it makes of the body. */
function revalidated(body: object): Answer {
  return { ...ok(body), headers: { 'Cache-Control': 'private, no-cache' } };
}
