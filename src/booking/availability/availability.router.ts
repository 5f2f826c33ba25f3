import type { Schema } from 'joi';
import type { SlotDeps } from '../../catalog/slots/slots.service.ts';
import { ok, type ResponseDescription, type Route, type RouteResponse, routesOf } from '../../http/route.ts';
import type { PartnerCaller } from '../../partners/partners.service.ts';
import { datesBetween } from '../../platform/calendar.ts';
import { omitUndefined } from '../../platform/objects.ts';
import { encodeCursor } from '../../platform/pagination.ts';
import { PreparedJson } from '../../platform/prepared-json.ts';
import * as schemas from './availability.schemas.ts';
import { readAvailability } from './availability.service.ts';
import { freeSlotsJson, type ListedSlots, slotsJson } from './planned-slots.rules.ts';
import { searchFreeSlots, VENUES_PER_PAGE } from './slot-search.service.ts';

const partnerRoute = routesOf<PartnerCaller>('Availability');

const HOLD_FIRST = 'Another channel can take a free slot at any time: place a hold before you promise it.';
const REVALIDATION = 'Send the ETag in If-None-Match to get 304 if nothing has changed.';

const revalidatedResponses = (body: Schema, description: string): Record<number, ResponseDescription> => ({
  200: { description, body, headers: ['ETag'] },
  304: { description: 'Nothing has changed since the response with this ETag.', headers: ['ETag'] },
});

export function availabilityRoutes(deps: SlotDeps): Route<PartnerCaller>[] {
  return [
    searchRoute(deps),
    partnerRoute.get('/api/v1/slots/availability', 'getAvailability', {
      summary: 'Read the slots of a venue on one date',
      description: `${HOLD_FIRST} ${REVALIDATION}`,
      query: schemas.dayQuery,
      responses: revalidatedResponses(schemas.availability, 'The slots of the date.'),
      errors: ['VENUE_NOT_AUTHORIZED', 'RESOURCE_NOT_FOUND'],
      handle: async ({ caller, query: { venue_id: venueId, date, resource_id: resourceId } }) => {
        const wanted = { venueId, dates: [date], resourceId };
        const render = (listed: readonly ListedSlots[]) =>
          `${JSON.stringify({ venue_id: venueId, date }).slice(0, -1)},"slots":${listed.map(slotsJson).join(',')}}`;
        return revalidated(await readAvailability(deps, caller.partnerId, wanted, { name: 'day', render }));
      },
    }),
    partnerRoute.get('/api/v1/slots/availability/range', 'getAvailabilityRange', {
      summary: 'Read the slots of a venue on several dates',
      description: `${HOLD_FIRST} ${REVALIDATION}`,
      query: schemas.rangeQuery,
      responses: revalidatedResponses(schemas.availabilityRange, 'The slots of each date.'),
      errors: ['VENUE_NOT_AUTHORIZED', 'RESOURCE_NOT_FOUND'],
      handle: async ({ caller, query }) => {
        const { venue_id: venueId, from, to, resource_id: resourceId } = query;
        const dates = datesBetween(from, to);
        const wanted = { venueId, dates, resourceId };
        const render = (listed: readonly ListedSlots[]) => {
          const days = listed.map((slots, index) => `{"date":"${dates[index]}","slots":${slotsJson(slots)}}`);
          return `${JSON.stringify({ venue_id: venueId, from, to }).slice(0, -1)},"days":[${days.join(',')}]}`;
        };
        return revalidated(await readAvailability(deps, caller.partnerId, wanted, { name: 'range', render }));
      },
    }),
  ];
}

function searchRoute(deps: SlotDeps): Route<PartnerCaller> {
  return partnerRoute.get('/api/v1/slots/search', 'searchSlots', {
    summary: 'Find free slots of several venues on one date',
    description: `Sorted by venue, resource and start. A page covers ${VENUES_PER_PAGE} venues and can be empty: continue while next_cursor is not null. ${HOLD_FIRST}`,
    query: schemas.searchQuery,
    responses: { 200: { description: 'The slots that can be held.', body: schemas.freeSlotPage } },
    errors: ['VENUE_NOT_AUTHORIZED'],
    handle: async ({ caller, query }) => {
      const { venue_ids: venueIds, cursor: after, ...rest } = query;
      const wanted = { ...rest, ...omitUndefined({ venueIds, after }) };
      const { rows, next } = await searchFreeSlots(deps, caller.partnerId, wanted);
      const found = rows.filter(({ free }) => free.length > 0);
      const count = found.reduce((sum, { free }) => sum + free.length, 0);
      const data = found.map(({ venueId, free }) => freeSlotsJson(venueId, free)).join(',');
      const cursor = JSON.stringify(encodeCursor(next));
      return ok(new PreparedJson(`{"success":true,"count":${count},"data":[${data}],"next_cursor":${cursor}}`));
    },
  });
}

/** Clients must revalidate: Express responds 304 if If-None-Match has the ETag of the body. */
function revalidated(body: PreparedJson): RouteResponse {
  return { ...ok(body), headers: { 'Cache-Control': 'private, no-cache' } };
}
