import { listOf } from '../../http/response-fields.ts';
import { created, listing, type Operator, ok, type Route, route } from '../../http/route.ts';
import { conflictsView } from '../../reservations/reservation-views.rules.ts';
import { changeResource, createResource, getResource, listResources, type NewResource } from './resources.service.ts';
import { operatorResourceView } from './venue-view.rules.ts';
import * as schemas from './venues.schemas.ts';
import type { OperatorVenueDeps } from './venues.service.ts';

type VenueParams = { venueId: string };
type ResourceParams = { resourceId: string };

const OF_VENUE = '/api/v1/operator/venues/:venueId/resources';
const ONE = '/api/v1/operator/resources/:resourceId';

export function resourceRoutes(deps: OperatorVenueDeps): Route<Operator>[] {
  return [
    route<Operator, VenueParams, unknown, schemas.ResourceBody>({
      method: 'post',
      path: OF_VENUE,
      operationId: 'createResource',
      tag: 'Resources',
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
    route<Operator, VenueParams>({
      method: 'get',
      path: OF_VENUE,
      operationId: 'listResources',
      tag: 'Resources',
      summary: 'List the resources of a venue',
      params: { venueId: schemas.venueIdParam },
      responses: { 200: { description: 'All resources of the venue.', body: listOf(schemas.operatorResource) } },
      errors: ['VENUE_NOT_FOUND'],
      handle: async ({ params }) => listing((await listResources(deps, params.venueId)).map(operatorResourceView)),
    }),
    route<Operator, ResourceParams>({
      method: 'get',
      path: ONE,
      operationId: 'getResource',
      tag: 'Resources',
      summary: 'Read a resource',
      params: { resourceId: schemas.resourceIdParam },
      responses: { 200: { description: 'The resource.', body: schemas.operatorResource } },
      errors: ['RESOURCE_NOT_FOUND'],
      handle: async ({ params }) => ok(operatorResourceView(await getResource(deps, params.resourceId))),
    }),
    route<Operator, ResourceParams, unknown, Partial<schemas.ResourceBody>>({
      method: 'patch',
      path: ONE,
      operationId: 'updateResource',
      tag: 'Resources',
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
