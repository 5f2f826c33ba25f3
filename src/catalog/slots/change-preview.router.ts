import Joi from 'joi';
import { list, opaque } from '../../http/fields.ts';
import { named, object } from '../../http/response-fields.ts';
import { type Operator, ok, type Route, routesOf } from '../../http/route.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/mongo.ts';
import { conflictFields } from '../../reservations/claim-conflicts.schemas.ts';
import { conflictsView } from '../../reservations/reservation-views.rules.ts';
import { requireResourcesOf } from '../venues/resources.service.ts';
import { type ScheduleBody, scheduleBody } from '../venues/schedules.schemas.ts';
import { checkedSchedule } from '../venues/schedules.service.ts';
import * as schemas from '../venues/venues.schemas.ts';
import { getVenue } from '../venues/venues.service.ts';
import { findOffSaleClaims } from './off-sale-claims.service.ts';

const operatorRoute = routesOf<Operator>('Venues');

const MAX_RESOURCES = 200;

type Body = {
  venue?: Partial<schemas.VenueBody>;
  resources: (Partial<schemas.ResourceBody> & { resource_id: string; schedule?: ScheduleBody })[];
};

const body = Joi.object<Body>({
  venue: schemas.updateVenueBody.optional().description('The body of a PATCH of the venue.').example({}),
  resources: list(
    schemas.updateResourceBody
      .append({ resource_id: opaque(200).required(), schedule: scheduleBody.optional() })
      .optional(),
    MAX_RESOURCES,
  )
    .unique('resource_id')
    .default([])
    .description('An item per resource: the fields of its PATCH, and as `schedule` the body of a PUT of its schedule.')
    .example([{ resource_id: 'arena-turf-a', status: 'inactive' }]),
}).required();

const offSale = named('OffSale', object(conflictFields('of slots that would be inactive or off the schedule')));

export function changePreviewRoutes(deps: { db: Db; clock: Clock }): Route<Operator>[] {
  return [
    operatorRoute.post('/api/v1/operator/venues/:venueId/change-preview', 'previewVenueChange', {
      summary: 'Read the holds and bookings with slots that a change would take off sale',
      description:
        'Changes nothing. An empty object returns those with slots that are off sale already. Newly shared space is not checked.',
      params: { venueId: schemas.venueIdParam },
      body,
      responses: { 200: { description: 'The holds and bookings with slots that would be off sale.', body: offSale } },
      errors: ['VENUE_NOT_FOUND'],
      handle: async ({ params: { venueId }, body: { venue = {}, resources } }) => {
        await getVenue(deps, venueId);
        const ids = resources.map(({ resource_id }) => resource_id);
        await requireResourcesOf(deps, venueId, ids, 'resources');
        const changes = resources.map(({ resource_id, schedule, ...fields }) => {
          const hours = schedule === undefined ? {} : { schedule: checkedSchedule(schedule) };
          return [resource_id, { ...schemas.resourceChange(fields), ...hours }] as const;
        });
        const change = { venue: schemas.venueChange(venue), resources: new Map(changes) };
        return ok(conflictsView(await findOffSaleClaims(deps, venueId, change)));
      },
    }),
  ];
}
