import { noContent, type Operator, ok, type Route, routesOf } from '../../http/route.ts';
import { conflictsView } from '../../reservations/reservation-views.rules.ts';
import { schedule, scheduleBody, scheduleWithConflicts } from './schedules.schemas.ts';
import { getSchedule, removeSchedule, setSchedule } from './schedules.service.ts';
import { resourceIdParam } from './venues.schemas.ts';
import type { OperatorVenueDeps } from './venues.service.ts';

const operatorRoute = routesOf<Operator>('Schedules');

const PATH = '/api/v1/operator/resources/:resourceId/schedule';

export function scheduleRoutes(deps: OperatorVenueDeps): Route<Operator>[] {
  return [
    operatorRoute.put(PATH, 'setSchedule', {
      summary: 'Set the opening hours of a resource',
      description:
        'Replaces the schedule for new sales. Existing holds and bookings stay. While there is a schedule, the operating hours of the resource have no effect.',
      params: { resourceId: resourceIdParam },
      body: scheduleBody,
      responses: {
        200: {
          description: 'The new schedule, with the holds and bookings whose slots the resource no longer sells.',
          body: scheduleWithConflicts,
        },
      },
      errors: ['RESOURCE_NOT_FOUND'],
      handle: async ({ params: { resourceId }, body }) => {
        const changed = await setSchedule(deps, resourceId, body);
        const claims = await deps.findOffSaleClaims(changed.venueId);
        const own = claims.filter((claim) => claim.resourceId === resourceId);
        return ok({ resource_id: resourceId, ...changed.schedule, ...conflictsView(own) });
      },
    }),
    operatorRoute.get(PATH, 'getSchedule', {
      summary: 'Read the opening hours of a resource',
      params: { resourceId: resourceIdParam },
      responses: {
        200: { description: 'The schedule; if none is set, the operating hours on every day.', body: schedule },
      },
      errors: ['RESOURCE_NOT_FOUND'],
      handle: async ({ params: { resourceId } }) =>
        ok({ resource_id: resourceId, ...(await getSchedule(deps, resourceId)) }),
    }),
    operatorRoute.delete(PATH, 'removeSchedule', {
      summary: 'Go back to the operating hours of a resource',
      description: 'For new sales, its operating hours apply on every day again. Without a schedule nothing changes.',
      params: { resourceId: resourceIdParam },
      responses: { 204: { description: 'The resource has no schedule now.' } },
      errors: ['RESOURCE_NOT_FOUND'],
      handle: async ({ params: { resourceId } }) => {
        await removeSchedule(deps, resourceId);
        return noContent();
      },
    }),
  ];
}
