import { listOf } from '../../http/response-fields.ts';
import { created, listing, type Operator, ok, type Route, routesOf } from '../../http/route.ts';
import { conflictsView } from '../../reservations/reservation-views.rules.ts';
import { changeResource, createResource, getResource, listResources, type NewResource } from './resources.service.ts';
import { operatorResourceView } from './venue-view.rules.ts';
import * as schemas from './venues.schemas.ts';
import type { OperatorVenueDeps } from './venues.service.ts';

const operatorRoute = routesOf<Operator>('Resources');

const OF_VENUE = '/api/v1/operator/venues/:venueId/resources';
const ONE = '/api/v1/operator/resources/:resourceId';

export function resourceRoutes(deps: OperatorVenueDeps): Route<Operator>[] {
  return [
    operatorRoute.post(OF_VENUE, 'createResource', {
      summary: 'Add a resource to a venue',
      params: { venueId: schemas.venueIdParam },
      body: schemas.createResourceBody,
      responses: {
        201: {
          description: 'The resource; resource_id is made from the names of venue and resource.',
          body: schemas.operatorResource,
        },
      },
      errors: ['VENUE_NOT_FOUND'],
      handle: async ({ params, body }) => {
        const row = await createResource(deps, params.venueId, schemas.resourceChange(body) as NewResource);
        return created(operatorResourceView(row));
      },
    }),
    operatorRoute.get(OF_VENUE, 'listResources', {
      summary: 'List the resources of a venue',
      params: { venueId: schemas.venueIdParam },
      responses: { 200: { description: 'All resources of the venue.', body: listOf(schemas.operatorResource) } },
      errors: ['VENUE_NOT_FOUND'],
      handle: async ({ params }) => listing((await listResources(deps, params.venueId)).map(operatorResourceView)),
    }),
    operatorRoute.get(ONE, 'getResource', {
      summary: 'Read a resource',
      params: { resourceId: schemas.resourceIdParam },
      responses: { 200: { description: 'The resource.', body: schemas.operatorResource } },
      errors: ['RESOURCE_NOT_FOUND'],
      handle: async ({ params }) => ok(operatorResourceView(await getResource(deps, params.resourceId))),
    }),
    operatorRoute.patch(ONE, 'updateResource', {
      summary: 'Change a resource; changes apply to new sales',
      params: { resourceId: schemas.resourceIdParam },
      description:
        'A resource that newly shares space is inactive until its existing holds and bookings also block that space. After a failure it stays inactive: repeat the call, with status active. The call is rejected if holds or bookings of the resources that would share space overlap. Removing shared space applies to new sales.',
      body: schemas.updateResourceBody,
      responses: {
        200: {
          description: 'The resource as it is now, with its holds and bookings on slots that are no longer on sale.',
          body: schemas.resourceWithConflicts,
        },
      },
      errors: ['RESOURCE_NOT_FOUND'],
      handle: async ({ params: { resourceId }, body }) => {
        const changed = await changeResource(deps, resourceId, schemas.resourceChange(body));
        const claims = await deps.findOffSaleClaims(changed.venueId);
        const own = claims.filter((claim) => claim.resourceId === resourceId);
        return ok({ ...operatorResourceView(changed), ...conflictsView(own) });
      },
    }),
  ];
}
