import type { Operator } from '../http/operator.ts';
import type { Route } from '../http/route.ts';
import { created, listing, noContent, route } from '../http/route.ts';
import type { StandingClaim } from '../reservations/reservations.service.ts';
import { venueIdParam } from '../venues/venues.schemas.ts';
import type { BlackoutBody } from './blackouts.schemas.ts';
import { blackout, blackoutBody, blackoutIdParam, blackouts } from './blackouts.schemas.ts';
import type { BlackoutDeps, BlackoutDetail } from './blackouts.service.ts';
import { addBlackout, getBlackout, liftBlackout, listBlackouts } from './blackouts.service.ts';

const OF_VENUE = '/api/v1/operator/venues/:venueId/blackouts';

/** Operator interface, "blackouts". */
export function blackoutRoutes(deps: BlackoutDeps): Route<Operator>[] {
  return [
    route<Operator, { venueId: string }, unknown, BlackoutBody>({
      method: 'post',
      path: OF_VENUE,
      operationId: 'addBlackout',
      tag: 'Blackouts',
      summary: 'Close a venue or some of its resources for a time',
      description:
        'Nothing is sold in that time from now on. What is held or booked there stays, and is reported.',
      params: { venueId: venueIdParam },
      body: blackoutBody,
      answers: { 201: { description: 'The blackout, with what stands in it.', body: blackout } },
      errors: ['VENUE_NOT_FOUND'],
      handle: async ({ params, body }) => {
        const { starts_at: startsAt, ends_at: endsAt, resource_ids: resourceIds = null, reason } = body;
        const input = { startsAt, endsAt, resourceIds, reason };
        return created(blackoutView(await addBlackout(deps, params.venueId, input)));
      },
    }),
    route<Operator, { venueId: string }>({
      method: 'get',
      path: OF_VENUE,
      operationId: 'listBlackouts',
      tag: 'Blackouts',
      summary: 'List the blackouts of a venue that have not ended',
      params: { venueId: venueIdParam },
      answers: { 200: { description: 'The blackouts, by their start.', body: blackouts } },
      errors: ['VENUE_NOT_FOUND'],
      handle: async ({ params }) => listing((await listBlackouts(deps, params.venueId)).map(blackoutView)),
    }),
    route<Operator, { id: string }>({
      method: 'delete',
      path: '/api/v1/operator/blackouts/:id',
      operationId: 'liftBlackout',
      tag: 'Blackouts',
      summary: 'Lift a blackout',
      description: 'What it closed can be sold again, unless another blackout closes it.',
      params: { id: blackoutIdParam },
      subject: async ({ id }) => blackoutView(await getBlackout(deps, id)),
      answers: { 204: { description: 'It is gone.' } },
      errors: ['BLACKOUT_NOT_FOUND'],
      handle: async ({ params }) => {
        await liftBlackout(deps, params.id);
        return noContent();
      },
    }),
  ];
}

function blackoutView({ blackout: row, conflicts }: BlackoutDetail): Record<string, unknown> {
  return {
    blackout_id: row._id,
    venue_id: row.venueId,
    starts_at: row.startsAt.toISOString(),
    ends_at: row.endsAt.toISOString(),
    resource_ids: row.resourceIds,
    reason: row.reason,
    created_at: row.createdAt.toISOString(),
    conflicts: conflicts.map(conflictView),
  };
}

function conflictView(claim: StandingClaim): Record<string, unknown> {
  const { _id: holdId, bookingId, partnerId, slotId, slotStart } = claim;
  return {
    ...(bookingId === undefined ? { hold_id: holdId } : { booking_id: bookingId }),
    partner_id: partnerId,
    slot_id: slotId,
    slot_start: slotStart.toISOString(),
  };
}
