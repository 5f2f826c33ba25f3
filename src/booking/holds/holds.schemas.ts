import Joi from 'joi';
import { EXAMPLE } from '../../http/example-values.ts';
import { cursor, instant, list, opaque, pageLimit, pathId, prose, rupees, text, uuid } from '../../http/fields.ts';
import { exampleOf } from '../../http/openapi/json-schema.ts';
import { idempotencyKey, metadata, orderReference } from '../../http/order-fields.ts';
import * as response from '../../http/response-fields.ts';
import type { SnakeCased } from '../../platform/objects.ts';
import type { Position } from '../../platform/pagination.ts';
import type { HoldStatus } from '../../reservations/reservations.rules.ts';
import type { PlaceHold } from './place-hold.service.ts';

type PlaceBody = SnakeCased<Omit<PlaceHold, 'expectedPaise'>> & { expected_price_rupees?: number };

export const MAX_TTL_SECONDS = 1800;
const ttlSeconds = () => Joi.number().integer().min(60).max(MAX_TTL_SECONDS);

const each = (fields: string[], rule: Joi.Schema): Record<string, Joi.Schema> =>
  Object.fromEntries(fields.map((field) => [field, rule]));

/** Schema of a body that contains these fields. */
const having = (...fields: string[]) => Joi.object(each(fields, Joi.exist())).unknown();

/** The arguments of `when` for a way to name the slot: a body with the field `way` needs and excludes other fields. */
function namedBy(way: string, { needed, excluded }: { needed: string[]; excluded: string[] }) {
  const required = Joi.required().messages({ 'any.required': `is required with ${way}` });
  const forbidden = Joi.forbidden().messages({ 'any.unknown': `cannot be sent with ${way}: name the slot in one way` });
  // biome-ignore lint/suspicious/noThenProperty: the name is joi's.
  return [having(way), { then: Joi.object({ ...each(needed, required), ...each(excluded, forbidden) }) }] as const;
}

const VENUE_AND_START = ['venue_id', 'slot_start'];

export const placeBody = Joi.object<PlaceBody>({
  slot_id: opaque(250).description('The slot, as availability lists it.').example(EXAMPLE.slotId),
  venue_id: uuid().description('The venue of the slot; required without slot_id.'),
  resource_id: opaque(200),
  slot_start: instant().description('The start of the slot, as availability lists it.'),
  resource_ids: list(opaque(200), 20)
    .min(1)
    .unique()
    .description('Instead of resource_id: the first free one of these resources, in your order of preference.'),
  sport_category: text(120).description(
    'Instead of resource_id: any free resource of this sport, ignoring case. The cheapest is held; among equals, the one with the first resource_id.',
  ),
  duration_minutes: Joi.number()
    .integer()
    .min(5)
    .max(1440)
    .description('With sport_category: only resources with slots of this length.'),
  expected_price_rupees: rupees().description(
    'The price that your customer has seen. A slot at another price is not held: 409 PRICE_CHANGED.',
  ),
  idempotency_key: idempotencyKey(),
  ttl_seconds: ttlSeconds()
    .description('The lifetime of the hold. Default: 600, unless the operator set another.')
    .example(600),
  order_reference: orderReference(),
  metadata: metadata(),
})
  .when(...namedBy('slot_id', { needed: [], excluded: ['resource_ids', 'sport_category'] }))
  .when(...namedBy('resource_ids', { needed: VENUE_AND_START, excluded: ['resource_id', 'sport_category'] }))
  .when(...namedBy('sport_category', { needed: VENUE_AND_START, excluded: ['resource_id'] }))
  .when(
    Joi.alternatives(
      having('slot_id'),
      having('venue_id', 'resource_id', 'slot_start'),
      having('resource_ids'),
      having('sport_category'),
    ),
    {
      otherwise: Joi.object({
        slot_id: Joi.required().messages({
          'any.required':
            'is required, or another way to name the slot: resource_id, resource_ids or sport_category, with venue_id and slot_start',
        }),
      }),
    },
  )
  .required()
  .description(
    'Name the slot in one way: slot_id; or resource_id, resource_ids or sport_category, each with venue_id and slot_start. slot_id may be combined with resource_id, venue_id and slot_start if they name the same slot.',
  );

export type ListQuery = { status?: HoldStatus; limit: number; cursor?: Position };
const HOLD_STATUSES: HoldStatus[] = ['ACTIVE', 'CONSUMED', 'RELEASED', 'EXPIRED'];

export const listQuery = Joi.object<ListQuery>({
  status: Joi.string()
    .valid(...HOLD_STATUSES)
    .description('Only the holds in this state.'),
  limit: pageLimit(),
  cursor: cursor(),
});

export const cancelBody = Joi.object<{ reason?: string }>({
  reason: prose(500)
    .description('Why you release the hold. Other partners do not see it.')
    .example('The customer chose another time.'),
}).required();

export const extendBody = Joi.object<{ ttl_seconds: number }>({
  ttl_seconds: ttlSeconds()
    .required()
    .description('The new lifetime, counted from now. An earlier end than the present one changes nothing.')
    .example(900),
}).required();

export const holdIdParam = pathId('`hold_id` as returned when the hold was placed.', EXAMPLE.holdId);

const status = () =>
  Joi.string()
    .valid(...HOLD_STATUSES)
    .description(
      'CONSUMED: confirmed into a booking. RELEASED: cancelled by its partner, or released by the platform operator. EXPIRED: not confirmed in time.',
    );

const holdFields = {
  hold_id: response.id(EXAMPLE.holdId),
  status: status().example('CONSUMED'),
  venue_id: response.id(EXAMPLE.venueId),
  resource_id: response.resourceId(),
  slot_id: response.slotId(),
  slot_start: response.timestamp(EXAMPLE.slotStart),
  slot_end: response.timestamp(EXAMPLE.slotEnd),
  price_rupees: response.amount().description('In rupees. The hold fixes it, and the booking keeps it.'),
  hold_expiry_at: response
    .timestamp(EXAMPLE.holdExpiry)
    .description('The hold expires at this instant: its slot is then free. At most `slot_end`.'),
  created_at: response.timestamp(),
  ...response.attached,
};

export const hold = response.named(
  'Hold',
  response.object({
    ...holdFields,
    booking_id: response
      .id(EXAMPLE.bookingId)
      .description('The booking made from the hold. Present only if the hold is CONSUMED.')
      .optional(),
  }),
);

export const heldExample = (state: 'ACTIVE' | 'EXPIRED'): Record<string, unknown> => {
  const { booking_id: _, ...held } = exampleOf(hold) as Record<string, unknown>;
  return { ...held, status: state };
};

export const holdPage = response.pageOf(hold);

export const releasedHold = response.object({
  message: response.sentence('Hold released'),
  hold_id: response.id(EXAMPLE.holdId),
  status: status().example('RELEASED'),
});

export const anyHoldIdParam = pathId('`hold_id` of a hold of any partner.', EXAMPLE.holdId);

export const operatorHold = response.named(
  'OperatorHold',
  response.object({
    ...holdFields,
    status: status().example('RELEASED'),
    partner_id: response.id(EXAMPLE.partnerId).description('The partner of the hold.'),
    release_reason: response
      .orNull(Joi.string())
      .description('Null if none was given.')
      .example('The court is needed for a repair.'),
  }),
);

export const operatorReleaseBody = Joi.object<{ reason: string }>({
  reason: prose(500)
    .required()
    .description('For operators; partners see that the hold was released, not why.')
    .example('The court is needed for a repair.'),
}).required();
