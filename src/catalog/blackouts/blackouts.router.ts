import { pageQuery } from '../../http/fields.ts';
import { created, noContent, type Operator, ok, paged, type Route, routesOf } from '../../http/route.ts';
import { camelCased } from '../../platform/objects.ts';
import { conflictsView } from '../../reservations/reservation-views.rules.ts';
import { venueIdParam } from '../venues/venues.schemas.ts';
import { blackoutBody, blackoutIdParam, blackoutPage, blackoutWithConflicts } from './blackouts.schemas.ts';
import type { BlackoutDeps, BlackoutDetail, BlackoutRow } from './blackouts.service.ts';
import { addBlackout, getBlackout, liftBlackout, listBlackouts } from './blackouts.service.ts';

const operatorRoute = routesOf<Operator>('Blackouts');

const OF_VENUE = '/api/v1/operator/venues/:venueId/blackouts';
const ONE = '/api/v1/operator/blackouts/:id';

export function blackoutRoutes(deps: BlackoutDeps): Route<Operator>[] {
  return [
    operatorRoute.post(OF_VENUE, 'addBlackout', {
      summary: 'Close a venue or some of its resources for a time',
      description: 'From now on nothing is sold in that time. Existing holds and bookings stay, and are returned.',
      params: { venueId: venueIdParam },
      body: blackoutBody,
      responses: {
        201: { description: 'The blackout, with the holds and bookings in it.', body: blackoutWithConflicts },
      },
      errors: ['VENUE_NOT_FOUND'],
      handle: async ({ params, body }) =>
        created(detailView(await addBlackout(deps, params.venueId, { resourceIds: null, ...camelCased(body) }))),
    }),
    operatorRoute.get(OF_VENUE, 'listBlackouts', {
      summary: 'List the blackouts of a venue that have not ended',
      params: { venueId: venueIdParam },
      query: pageQuery,
      responses: { 200: { description: 'A page of blackouts, by their start.', body: blackoutPage } },
      errors: ['VENUE_NOT_FOUND'],
      handle: async ({ params, query: { limit, cursor: after } }) =>
        paged(await listBlackouts(deps, params.venueId, { after, limit }), blackoutView),
    }),
    operatorRoute.get(ONE, 'getBlackout', {
      summary: 'Read a blackout with the holds and bookings in it',
      description: 'A blackout that has ended can still be read.',
      params: { id: blackoutIdParam },
      responses: {
        200: { description: 'The blackout, with the holds and bookings in it now.', body: blackoutWithConflicts },
      },
      errors: ['BLACKOUT_NOT_FOUND'],
      handle: async ({ params }) => ok(detailView(await getBlackout(deps, params.id))),
    }),
    operatorRoute.delete(ONE, 'liftBlackout', {
      summary: 'Withdraw a blackout',
      description: 'Its slots can be sold again, unless another blackout closes them.',
      params: { id: blackoutIdParam },
      responses: { 204: { description: 'It is gone.' } },
      errors: ['BLACKOUT_NOT_FOUND'],
      handle: async ({ params }) => {
        await liftBlackout(deps, params.id);
        return noContent();
      },
    }),
  ];
}

function blackoutView(row: BlackoutRow): Record<string, unknown> {
  return {
    blackout_id: row._id,
    venue_id: row.venueId,
    starts_at: row.startsAt.toISOString(),
    ends_at: row.endsAt.toISOString(),
    resource_ids: row.resourceIds,
    reason: row.reason,
    created_at: row.createdAt.toISOString(),
  };
}

function detailView({ blackout, conflicts }: BlackoutDetail): Record<string, unknown> {
  return { ...blackoutView(blackout), ...conflictsView(conflicts) };
}
