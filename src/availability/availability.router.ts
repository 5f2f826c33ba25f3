import type { Schema } from 'joi';
import type { ResponseDescription, Route, RouteResponse } from '../http/route.ts';
import { ok, route } from '../http/route.ts';
import type { PartnerCaller } from '../partners/partners.service.ts';
import { datesBetween } from '../platform/calendar.ts';
import { omitUndefined } from '../platform/omit-undefined.ts';
import type { PreparedJson } from '../platform/prepared-json.ts';
import type { SlotDeps } from '../slots/slots.service.ts';
import type { DayQuery, RangeQuery } from './availability.schemas.ts';
import { availability, availabilityRange, dayQuery, rangeQuery } from './availability.schemas.ts';
import { readAvailability } from './availability.service.ts';
import type { ListedPlan } from './slots-json.rules.ts';
import { slotsJson } from './slots-json.rules.ts';

const PROMISE = 'What is free now may be taken the next moment: place a hold before you promise a slot.';
const REVALIDATION = 'Send the ETag back in If-None-Match to get 304 where nothing has changed.';

const responsesWith = (body: Schema, description: string): Record<number, ResponseDescription> => ({
  200: { description, body, headers: ['ETag'] },
  304: { description: 'What If-None-Match names is still the response.', headers: ['ETag'] },
});

/** The slots of a day and of a range of days. */
export function availabilityRoutes(deps: SlotDeps): Route<PartnerCaller>[] {
  return [
    route<PartnerCaller, unknown, DayQuery>({
      method: 'get',
      path: '/api/v1/slots/availability',
      operationId: 'getAvailability',
      tag: 'Availability',
      summary: 'Read the slots of a venue on one date',
      description: `${PROMISE} ${REVALIDATION}`,
      query: dayQuery,
      responses: responsesWith(availability, 'The slots of the date.'),
      errors: ['VENUE_NOT_AUTHORIZED', 'RESOURCE_NOT_FOUND'],
      handle: async ({ caller, query }) => {
        const { venue_id: venueId, date: day, resource_id: resourceId } = query;
        const wanted = { venueId, dates: [day], ...omitUndefined({ resourceId }) };
        const render = (listed: readonly ListedPlan[]) =>
          `${JSON.stringify({ venue_id: venueId, date: day }).slice(0, -1)},"slots":${listed.map(slotsJson).join(',')}}`;
        return revalidated(await readAvailability(deps, caller.partnerId, wanted, { name: 'day', render }));
      },
    }),
    route<PartnerCaller, unknown, RangeQuery>({
      method: 'get',
      path: '/api/v1/slots/availability/range',
      operationId: 'getAvailabilityRange',
      tag: 'Availability',
      summary: 'Read the slots of a venue on several dates',
      description: `${PROMISE} ${REVALIDATION}`,
      query: rangeQuery,
      responses: responsesWith(availabilityRange, 'The slots of each date.'),
      errors: ['VENUE_NOT_AUTHORIZED', 'RESOURCE_NOT_FOUND'],
      handle: async ({ caller, query }) => {
        const { venue_id: venueId, from, to, resource_id: resourceId } = query;
        const dates = datesBetween(from, to);
        const wanted = { venueId, dates, ...omitUndefined({ resourceId }) };
        const render = (listed: readonly ListedPlan[]) => {
          const days = listed.map((slots, index) => `{"date":"${dates[index]}","slots":${slotsJson(slots)}}`);
          return `${JSON.stringify({ venue_id: venueId, from, to }).slice(0, -1)},"days":[${days.join(',')}]}`;
        };
        return revalidated(await readAvailability(deps, caller.partnerId, wanted, { name: 'range', render }));
      },
    }),
  ];
}

/** Kept only to be revalidated: Express returns 304 where If-None-Match has the ETag that it makes of the body. */
function revalidated(body: PreparedJson): RouteResponse {
  return { ...ok(body), headers: { 'Cache-Control': 'private, no-cache' } };
}
