import { toPaise } from '../../domain/money.ts';
import { created, type Operator, ok, paged, type Route, replayable, routesOf } from '../../http/route.ts';
import type { PartnerCaller } from '../../partners/partners.service.ts';
import { camelCased } from '../../platform/objects.ts';
import { operatorActor, partnerActor } from '../../reservations/actor-types.ts';
import type { Reservation } from '../../reservations/reservations.model.ts';
import { holdStatusOf } from '../../reservations/reservations.rules.ts';
import type { ReservationDeps } from '../../reservations/reservations.service.ts';
import { holdView, placedHoldView } from './holds.rules.ts';
import * as schemas from './holds.schemas.ts';
import { extendHoldBy, getHold, listHoldRows, releaseHold } from './holds.service.ts';
import { type HoldDeps, placeHold } from './place-hold.service.ts';

const partnerRoute = routesOf<PartnerCaller>('Holds');
const operatorRoute = routesOf<Operator>('Holds');

const NOT_ACTIVE = ['HOLD_EXPIRED', 'INVALID_HOLD_STATE'] as const;

const params = { holdId: schemas.holdIdParam };

export function holdRoutes(deps: HoldDeps): Route<PartnerCaller>[] {
  return [
    placeRoute(deps),
    partnerRoute.get('/api/v1/partner/holds', 'listHolds', {
      summary: 'List your holds, newest first',
      query: schemas.listQuery,
      responses: { 200: { description: 'A page of your holds.', body: schemas.holdPage } },
      handle: async ({ caller, query: { status, cursor: after, limit } }) =>
        paged(await listHoldRows(deps.db, caller.partnerId, status, after, limit), holdView),
    }),
    partnerRoute.get('/api/v1/partner/holds/:holdId', 'getHold', {
      summary: 'Read a hold',
      params,
      responses: { 200: { description: 'The hold as it is now.', body: schemas.hold } },
      errors: ['HOLD_NOT_FOUND'],
      notOffered:
        'To release a hold, call POST /api/v1/partner/holds/{holdId}/cancel. To extend it, call POST /api/v1/partner/holds/{holdId}/extend.',
      handle: async ({ caller, params: { holdId } }) => ok(holdView(await getHold(deps, caller.partnerId, holdId))),
    }),
    partnerRoute.post('/api/v1/partner/holds/:holdId/extend', 'extendHold', {
      summary: 'Extend a hold, counted from now',
      description:
        'Never shortens the hold. A hold ends at most two hours after it was placed, and at the end of its slot at the latest.',
      params,
      body: schemas.extendBody,
      responses: {
        200: {
          description: 'The hold with its new expiry.',
          body: schemas.hold,
          example: schemas.heldExample('ACTIVE'),
        },
      },
      errors: ['HOLD_NOT_FOUND', 'VENUE_NOT_AUTHORIZED', ...NOT_ACTIVE, 'HOLD_LIMIT_REACHED'],
      handle: async ({ caller, params: { holdId }, body }) =>
        ok(holdView(await extendHoldBy(deps, caller.partnerId, holdId, body.ttl_seconds))),
    }),
    partnerRoute.post('/api/v1/partner/holds/:holdId/cancel', 'releaseHold', {
      summary: 'Release a hold',
      description: 'Frees the slot. Releasing a RELEASED hold again returns 200 and changes nothing.',
      params,
      body: schemas.cancelBody,
      responses: { 200: { description: 'The hold is released.', body: schemas.releasedHold } },
      errors: ['HOLD_NOT_FOUND', ...NOT_ACTIVE],
      handle: async ({ caller, params: { holdId }, body }) => {
        const hold = await releaseHold(deps, partnerActor(caller), holdId, body.reason);
        return ok({ message: 'Hold released', hold_id: hold._id, status: holdStatusOf(hold.status) });
      },
    }),
  ];
}

function placeRoute(deps: HoldDeps): Route<PartnerCaller> {
  return partnerRoute.post('/api/v1/partner/holds', 'placeHold', {
    summary: 'Place a hold on a slot',
    description:
      'Reserves the slot until hold_expiry_at. Of concurrent calls for a slot, one gets it. With resource_ids or sport_category, the first free slot is held.',
    body: schemas.placeBody,
    responses: {
      201: {
        description: 'The slot is yours until hold_expiry_at.',
        body: schemas.hold,
        example: schemas.heldExample('ACTIVE'),
        headers: ['Idempotent-Replayed'],
      },
    },
    errors: [
      'VENUE_NOT_AUTHORIZED',
      'RESOURCE_NOT_FOUND',
      'SLOT_NOT_FOUND',
      'SLOT_NOT_AVAILABLE',
      'PRICE_CHANGED',
      'HOLD_LIMIT_REACHED',
      'IDEMPOTENCY_KEY_MISMATCH',
    ],
    handle: async ({ caller, body }) => {
      const { expected_price_rupees: expected, ...rest } = body;
      const price = expected === undefined ? {} : { expectedPaise: toPaise(expected) };
      const { hold, isReplay } = await placeHold(deps, partnerActor(caller), { ...camelCased(rest), ...price });
      return replayable(created(placedHoldView(hold)), isReplay);
    },
  });
}

export function operatorHoldRoutes(deps: ReservationDeps): Route<Operator>[] {
  return [
    operatorRoute.post('/api/v1/operator/holds/:holdId/release', 'releaseHold', {
      summary: "Release any partner's hold",
      description:
        'Any partner can then take the slot; to give it to a customer at the counter, sell a walk-in with `override_holds` instead. Made as the built-in partner `platform`. Releasing a released hold succeeds and changes nothing.',
      params: { holdId: schemas.anyHoldIdParam },
      subject: async ({ holdId }) => operatorHoldView(await getHold(deps, undefined, holdId)),
      body: schemas.operatorReleaseBody,
      responses: { 200: { description: 'The hold, released.', body: schemas.operatorHold } },
      errors: ['HOLD_NOT_FOUND', 'HOLD_EXPIRED', 'INVALID_HOLD_STATE'],
      handle: async ({ caller, params: { holdId }, body: { reason } }) =>
        ok(operatorHoldView(await releaseHold(deps, operatorActor(caller), holdId, reason))),
    }),
  ];
}

function operatorHoldView(hold: Reservation): Record<string, unknown> {
  return { ...holdView(hold), partner_id: hold.partnerId, release_reason: hold.releaseReason ?? null };
}
