import Joi from 'joi';
import { cursor, idempotencyKey, instant, pageLimit, prose, text, uuid } from '../http/fields.ts';
import type { Route } from '../http/route.ts';
import { created, listing, ok, replayable, route } from '../http/route.ts';
import type { PartnerCaller } from '../partners/partners.service.ts';
import { defined } from '../platform/defined.ts';
import type { Position } from '../platform/pagination.ts';
import { encodeCursor } from '../platform/pagination.ts';
import type { HoldStatus } from '../reservations/reservations.rules.ts';
import { holdStatusOf } from '../reservations/reservations.rules.ts';
import { holdView, placedHoldView } from './hold-view.rules.ts';
import type { HoldDeps } from './holds.service.ts';
import { extendHoldBy, getHold, listHolds, placeHold, releaseHold } from './holds.service.ts';

type PlaceBody = {
  slot_id?: string;
  venue_id?: string;
  resource_id?: string;
  slot_start?: Date;
  idempotency_key?: string;
  ttl_seconds?: number;
};

const ttlSeconds = () => Joi.number().integer().min(60).max(1800);

const placeBody = Joi.object<PlaceBody>({
  slot_id: text(250),
  venue_id: uuid(),
  resource_id: text(200),
  slot_start: instant(),
  idempotency_key: idempotencyKey(),
  ttl_seconds: ttlSeconds(),
})
  .when(Joi.object({ slot_id: Joi.exist() }).unknown(), {
    // biome-ignore lint/suspicious/noThenProperty: the name is joi's.
    then: Joi.object(),
    otherwise: Joi.object({
      venue_id: Joi.required(),
      resource_id: Joi.required(),
      slot_start: Joi.required(),
    }),
  })
  .required();

type ListQuery = { status?: HoldStatus; limit: number; cursor?: Position };

const listQuery = Joi.object<ListQuery>({
  status: Joi.string().valid('ACTIVE', 'CONSUMED', 'RELEASED', 'EXPIRED'),
  limit: pageLimit(),
  cursor: cursor(),
});

const cancelBody = Joi.object<{ reason?: string }>({ reason: prose(500) }).required();

const extendBody = Joi.object<{ ttl_seconds: number }>({ ttl_seconds: ttlSeconds().required() }).required();

type HoldParams = { holdId: string };

/** Contract "Holds", decisions §3. */
export function holdRoutes(deps: HoldDeps): Route<PartnerCaller>[] {
  return [
    route<PartnerCaller, unknown, unknown, PlaceBody>({
      method: 'post',
      path: '/api/v1/partner/holds',
      summary: 'Place a hold on a slot',
      body: placeBody,
      handle: async ({ caller, body }) => {
        const input = defined({
          slotId: body.slot_id,
          venueId: body.venue_id,
          resourceId: body.resource_id,
          slotStart: body.slot_start,
          idempotencyKey: body.idempotency_key,
          ttlSeconds: body.ttl_seconds,
        });
        const { hold, isReplay } = await placeHold(deps, caller.partnerId, input);
        return replayable(created(placedHoldView(hold)), isReplay);
      },
    }),
    route<PartnerCaller, unknown, ListQuery>({
      method: 'get',
      path: '/api/v1/partner/holds',
      summary: 'List your holds, newest first',
      query: listQuery,
      handle: async ({ caller, query }) => {
        const page = { limit: query.limit, ...defined({ status: query.status, after: query.cursor }) };
        const { rows, next } = await listHolds(deps, caller.partnerId, page);
        return listing(rows.map(holdView), encodeCursor(next));
      },
    }),
    route<PartnerCaller, HoldParams>({
      method: 'get',
      path: '/api/v1/partner/holds/:holdId',
      summary: 'Read a hold',
      handle: async ({ caller, params }) =>
        ok(holdView(await getHold(deps, caller.partnerId, params.holdId))),
    }),
    route<PartnerCaller, HoldParams, unknown, { ttl_seconds: number }>({
      method: 'post',
      path: '/api/v1/partner/holds/:holdId/extend',
      summary: 'Extend a hold, counted from now',
      body: extendBody,
      handle: async ({ caller, params, body }) =>
        ok(holdView(await extendHoldBy(deps, caller.partnerId, params.holdId, body.ttl_seconds))),
    }),
    route<PartnerCaller, HoldParams, unknown, { reason?: string }>({
      method: 'post',
      path: '/api/v1/partner/holds/:holdId/cancel',
      summary: 'Release a hold',
      body: cancelBody,
      handle: async ({ caller, params, body }) => {
        const hold = await releaseHold(deps, caller.partnerId, params.holdId, body.reason);
        return ok({ message: 'Hold released', hold_id: hold._id, status: holdStatusOf(hold.status) });
      },
    }),
  ];
}
