import Joi from 'joi';
import { date, text, uuid } from '../http/fields.ts';
import type { Route } from '../http/route.ts';
import { ok, route } from '../http/route.ts';
import type { PartnerCaller } from '../partners/partners.service.ts';
import { defined } from '../platform/defined.ts';
import type { AvailabilityDeps } from './availability.service.ts';
import { readAvailability } from './availability.service.ts';
import { slotView } from './slot-view.rules.ts';

type Query = { venue_id: string; date: string; resource_id?: string };

const availabilityQuery = Joi.object<Query>({
  venue_id: uuid().required(),
  date: date().required(),
  resource_id: text(200),
});

/** Contract "Availability". */
export function availabilityRoutes(deps: AvailabilityDeps): Route<PartnerCaller>[] {
  return [
    route<PartnerCaller, unknown, Query>({
      method: 'get',
      path: '/api/v1/slots/availability',
      summary: 'Read the slots of a venue on one date',
      query: availabilityQuery,
      handle: async ({ caller, query }) => {
        const { venue_id: venueId, date: day, resource_id: resourceId } = query;
        const slots = await readAvailability(deps, caller.partnerId, {
          venueId,
          date: day,
          ...defined({ resourceId }),
        });
        const body = { venue_id: venueId, date: day, slots: slots.map(slotView) };
        // Kept only to be revalidated: Express answers 304 where If-None-Match has the ETag that it makes of the body.
        return { ...ok(body), headers: { 'Cache-Control': 'private, no-cache' } };
      },
    }),
  ];
}
