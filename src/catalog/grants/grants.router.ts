import Joi from 'joi';
import { EXAMPLE } from '../../http/example-values.ts';
import { claimFields, id, named, object } from '../../http/response-fields.ts';
import { noContent, type Operator, ok, type Route, routesOf } from '../../http/route.ts';
import { partnerIdParam } from '../../partners/partners.schemas.ts';
import { findGrant, type PartnerDeps } from '../../partners/partners.service.ts';
import { operatorActor } from '../../reservations/actor-types.ts';
import { claimView } from '../../reservations/reservation-views.rules.ts';
import type { ReservationDeps } from '../../reservations/reservations.service.ts';
import { venueIdParam } from '../venues/venues.schemas.ts';
import { getVenue } from '../venues/venues.service.ts';
import { grantVenue, revokeVenue } from './grants.service.ts';

const operatorRoute = routesOf<Operator>('Grants');

type GrantParams = { partnerId: string; venueId: string };

const revokedGrant = named(
  'RevokedGrant',
  object({
    released_holds: Joi.array()
      .items(object({ hold_id: id(EXAMPLE.holdId), ...claimFields }))
      .description('The live holds that this call released. Their slots are free.'),
  }),
);

const PATH = '/api/v1/operator/partners/:partnerId/venues/:venueId';

export function grantRoutes(deps: PartnerDeps & ReservationDeps): Route<Operator>[] {
  return [
    operatorRoute.put(PATH, 'grantVenue', {
      summary: 'Grant a venue to a partner',
      params: { partnerId: partnerIdParam, venueId: venueIdParam },
      subject: grantOf(deps),
      responses: { 204: { description: 'The partner may sell the venue.' } },
      errors: ['VENUE_NOT_FOUND', 'PARTNER_NOT_FOUND'],
      handle: async ({ params }) => {
        await getVenue(deps, params.venueId);
        await grantVenue(deps, params.partnerId, params.venueId);
        return noContent();
      },
    }),
    operatorRoute.delete(PATH, 'revokeVenue', {
      summary: 'End a grant',
      description:
        "The partner's live holds there are released before the response. Later deliveries about the venue are cancelled. Repeating the call completes an interrupted one.",
      params: { partnerId: partnerIdParam, venueId: venueIdParam },
      subject: grantOf(deps),
      responses: {
        200: {
          description: 'The grant and the holds have ended; bookings stay.',
          body: revokedGrant,
        },
      },
      errors: ['PARTNER_NOT_FOUND'],
      handle: async ({ caller, params }) => {
        const actor = operatorActor(caller);
        const released = await revokeVenue(deps, params.partnerId, params.venueId, actor);
        return ok({ released_holds: released.map(claimView) });
      },
    }),
  ];
}

function grantOf(deps: PartnerDeps) {
  return async ({ partnerId, venueId }: GrantParams) =>
    (await findGrant(deps.db, partnerId, venueId)) ? { partner_id: partnerId, venue_id: venueId } : null;
}
