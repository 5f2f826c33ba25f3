import { type PageQuery, pageQuery } from '../../http/fields.ts';
import { listOf, pageOf } from '../../http/response-fields.ts';
import { created, listing, type Operator, ok, type Route, route } from '../../http/route.ts';
import type { PartnerCaller } from '../../partners/partners.service.ts';
import { encodeCursor } from '../../platform/pagination.ts';
import { conflictsView } from '../../reservations/reservation-views.rules.ts';
import { listGrantedResources } from './resources.service.ts';
import { resourceView, venueView } from './venue-view.rules.ts';
import * as schemas from './venues.schemas.ts';
import * as venues from './venues.service.ts';

const EFFECT_ON_CLAIMS =
  'For new sales. Existing holds and bookings stay; the response lists those that the venue would no longer sell.';

type VenueParams = { venueId: string };

export function partnerVenueRoutes(deps: venues.VenueDeps): Route<PartnerCaller>[] {
  return [
    route<PartnerCaller>({
      method: 'get',
      path: '/api/v1/partner/venues',
      operationId: 'listVenues',
      tag: 'Venues',
      summary: 'List the venues granted to you',
      responses: { 200: { description: 'Your venues, by name; none before onboarding.', body: listOf(schemas.venue) } },
      errors: [],
      handle: async ({ caller }) => listing((await venues.listGrantedVenues(deps, caller.partnerId)).map(venueView)),
    }),
    route<PartnerCaller, VenueParams>({
      method: 'get',
      path: '/api/v1/partner/venues/:venueId',
      operationId: 'getVenue',
      tag: 'Venues',
      summary: 'Read a venue',
      params: { venueId: schemas.venueIdParam },
      responses: { 200: { description: 'The venue.', body: schemas.venue } },
      errors: ['VENUE_NOT_FOUND'],
      handle: async ({ caller, params }) =>
        ok(venueView(await venues.getGrantedVenue(deps, caller.partnerId, params.venueId))),
    }),
    route<PartnerCaller, VenueParams>({
      method: 'get',
      path: '/api/v1/partner/venues/:venueId/resources',
      operationId: 'listResources',
      tag: 'Venues',
      summary: 'List the resources of a venue',
      params: { venueId: schemas.venueIdParam },
      responses: { 200: { description: 'All resources of the venue.', body: listOf(schemas.resource) } },
      errors: ['VENUE_NOT_FOUND'],
      handle: async ({ caller, params }) =>
        listing((await listGrantedResources(deps, caller.partnerId, params.venueId)).map(resourceView)),
    }),
  ];
}

export function operatorVenueRoutes(deps: venues.OperatorVenueDeps): Route<Operator>[] {
  return [
    route<Operator, unknown, unknown, schemas.VenueBody>({
      method: 'post',
      path: '/api/v1/operator/venues',
      operationId: 'createVenue',
      tag: 'Venues',
      summary: 'Add a venue',
      body: schemas.createVenueBody,
      responses: { 201: { description: 'The venue.', body: schemas.venue } },
      errors: [],
      handle: async ({ body }) =>
        created(venueView(await venues.createVenue(deps, schemas.venueChange(body) as venues.NewVenue))),
    }),
    route<Operator, unknown, PageQuery>({
      method: 'get',
      path: '/api/v1/operator/venues',
      operationId: 'listVenues',
      tag: 'Venues',
      summary: 'List all venues, by name',
      query: pageQuery,
      responses: { 200: { description: 'A page of venues.', body: pageOf(schemas.venue) } },
      errors: [],
      handle: async ({ query: { cursor: after, limit } }) => {
        const { rows, next } = await venues.listVenues(deps.db, { after, limit });
        return listing(rows.map(venueView), encodeCursor(next));
      },
    }),
    route<Operator, VenueParams>({
      method: 'get',
      path: '/api/v1/operator/venues/:venueId',
      operationId: 'getVenue',
      tag: 'Venues',
      summary: 'Read a venue',
      params: { venueId: schemas.venueIdParam },
      responses: { 200: { description: 'The venue.', body: schemas.venue } },
      errors: ['VENUE_NOT_FOUND'],
      handle: async ({ params }) => ok(venueView(await venues.getVenue(deps, params.venueId))),
    }),
    route<Operator, VenueParams, unknown, Partial<schemas.VenueBody>>({
      method: 'patch',
      path: '/api/v1/operator/venues/:venueId',
      operationId: 'updateVenue',
      tag: 'Venues',
      summary: 'Change a venue',
      params: { venueId: schemas.venueIdParam },
      body: schemas.updateVenueBody,
      description: EFFECT_ON_CLAIMS,
      responses: {
        200: {
          description: 'The venue as it is now, with the holds and bookings whose slots it no longer sells.',
          body: schemas.venueWithConflicts,
        },
      },
      errors: ['VENUE_NOT_FOUND'],
      handle: async ({ params: { venueId }, body }) => {
        const changed = await venues.updateVenue(deps, venueId, schemas.venueChange(body));
        return ok({ ...venueView(changed), ...conflictsView(await deps.findOffSaleClaims(venueId)) });
      },
    }),
  ];
}
