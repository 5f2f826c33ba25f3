import { pageQuery } from '../../http/fields.ts';
import { listOf, pageOf } from '../../http/response-fields.ts';
import { created, listing, type Operator, ok, paged, type Route, routesOf } from '../../http/route.ts';
import type { PartnerCaller } from '../../partners/partners.service.ts';
import { conflictsView } from '../../reservations/reservation-views.rules.ts';
import { listGrantedResources } from './resources.service.ts';
import { resourceView, venueView } from './venue-view.rules.ts';
import * as schemas from './venues.schemas.ts';
import * as venues from './venues.service.ts';

const partnerRoute = routesOf<PartnerCaller>('Venues');
const operatorRoute = routesOf<Operator>('Venues');

const EFFECT_ON_CLAIMS =
  'For new sales. Existing holds and bookings stay; the response lists those that the venue would no longer sell.';

export function partnerVenueRoutes(deps: venues.VenueDeps): Route<PartnerCaller>[] {
  return [
    partnerRoute.get('/api/v1/partner/venues', 'listVenues', {
      summary: 'List the venues granted to you',
      responses: { 200: { description: 'Your venues, by name; none before onboarding.', body: listOf(schemas.venue) } },
      handle: async ({ caller }) => listing((await venues.listGrantedVenues(deps, caller.partnerId)).map(venueView)),
    }),
    partnerRoute.get('/api/v1/partner/venues/:venueId', 'getVenue', {
      summary: 'Read a venue',
      params: { venueId: schemas.venueIdParam },
      responses: { 200: { description: 'The venue.', body: schemas.venue } },
      errors: ['VENUE_NOT_FOUND'],
      handle: async ({ caller, params }) =>
        ok(venueView(await venues.getGrantedVenue(deps, caller.partnerId, params.venueId))),
    }),
    partnerRoute.get('/api/v1/partner/venues/:venueId/resources', 'listResources', {
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
    operatorRoute.post('/api/v1/operator/venues', 'createVenue', {
      summary: 'Add a venue',
      body: schemas.createVenueBody,
      responses: { 201: { description: 'The venue.', body: schemas.venue } },
      handle: async ({ body }) =>
        created(venueView(await venues.createVenue(deps, schemas.venueChange(body) as venues.NewVenue))),
    }),
    operatorRoute.get('/api/v1/operator/venues', 'listVenues', {
      summary: 'List all venues, by name',
      query: pageQuery,
      responses: { 200: { description: 'A page of venues.', body: pageOf(schemas.venue) } },
      handle: async ({ query: { cursor: after, limit } }) =>
        paged(await venues.listVenues(deps.db, { after, limit }), venueView),
    }),
    operatorRoute.get('/api/v1/operator/venues/:venueId', 'getVenue', {
      summary: 'Read a venue',
      params: { venueId: schemas.venueIdParam },
      responses: { 200: { description: 'The venue.', body: schemas.venue } },
      errors: ['VENUE_NOT_FOUND'],
      handle: async ({ params }) => ok(venueView(await venues.getVenue(deps, params.venueId))),
    }),
    operatorRoute.patch('/api/v1/operator/venues/:venueId', 'updateVenue', {
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
