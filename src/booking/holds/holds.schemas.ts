import Joi from 'joi';
import { EXAMPLE } from '../../http/example-values.ts';
import { cursor, instant, opaque, pageLimit, pathId, prose, uuid } from '../../http/fields.ts';
import { exampleOf } from '../../http/openapi/json-schema.ts';
import { idempotencyKey, metadata, orderReference } from '../../http/order-fields.ts';
import {
  amount,
  attached,
  id,
  named,
  object,
  orNull,
  pageOf,
  resourceId,
  sentence,
  slotId,
  timestamp,
} from '../../http/response-fields.ts';
import type { Position } from '../../platform/pagination.ts';
import type { HoldStatus } from '../../reservations/reservations.rules.ts';
import { otherFreeSlot, slot, unavailableReason } from '../availability/availability.schemas.ts';

export type PlaceBody = {
  slot_id?: string;
  venue_id?: string;
  resource_id?: string;
  slot_start?: Date;
  idempotency_key?: string;
  ttl_seconds?: number;
  order_reference?: string;
  metadata?: Record<string, string>;
};

export const MAX_TTL_SECONDS = 1800;

const ttlSeconds = () => Joi.number().integer().min(60).max(MAX_TTL_SECONDS);

const needed = () =>
  Joi.required().messages({
    'any.required': 'is required without slot_id: send slot_id, or venue_id, resource_id and slot_start',
  });

export const placeBody = Joi.object<PlaceBody>({
  slot_id: opaque(250).description('The slot, as availability lists it.').example(EXAMPLE.slotId),
  venue_id: uuid().description('With resource_id and slot_start, an alternative to slot_id.'),
  resource_id: opaque(200),
  slot_start: instant().description('The start of the slot, as availability lists it.'),
  idempotency_key: idempotencyKey(),
  ttl_seconds: ttlSeconds()
    .description('The lifetime of the hold. Default: 600, unless the operator set another.')
    .example(600),
  order_reference: orderReference(),
  metadata: metadata(),
})
  .when(Joi.object({ slot_id: Joi.exist() }).unknown(), {
    // biome-ignore lint/suspicious/noThenProperty: the name is joi's.
    then: Joi.object(),
    otherwise: Joi.object({
      venue_id: needed(),
      resource_id: needed(),
      slot_start: needed(),
    }),
  })
  .required()
  .description(
    'Send slot_id, or venue_id, resource_id and slot_start. If you send both, they must name the same slot.',
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
    .description('Why you release the hold. Only you see it, also in the event.')
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
  hold_id: id(EXAMPLE.holdId),
  status: status().example('CONSUMED'),
  venue_id: id(EXAMPLE.venueId),
  resource_id: resourceId(),
  slot_id: slotId(),
  slot_start: timestamp(EXAMPLE.slotStart),
  slot_end: timestamp(EXAMPLE.slotEnd),
  price_rupees: amount().description('In rupees. The hold fixes it, and the booking keeps it.'),
  hold_expiry_at: timestamp(EXAMPLE.holdExpiry).description(
    'The hold expires at this instant: its slot is then free. At most `slot_end`.',
  ),
  created_at: timestamp(),
  ...attached,
};

export const hold = named(
  'Hold',
  object({
    ...holdFields,
    booking_id: id(EXAMPLE.bookingId)
      .description('The booking made from the hold. Present only if the hold is CONSUMED.')
      .optional(),
  }),
);

export const heldExample = (state: 'ACTIVE' | 'EXPIRED'): Record<string, unknown> => {
  const { booking_id: _, ...held } = exampleOf(hold) as Record<string, unknown>;
  return { ...held, status: state };
};

export const holdPage = pageOf(hold);

export const releasedHold = object({
  message: sentence('Hold released'),
  hold_id: id(EXAMPLE.holdId),
  status: status().example('RELEASED'),
});

export const anyHoldIdParam = pathId('`hold_id` of a hold of any partner.', EXAMPLE.holdId);

export const operatorHold = named(
  'OperatorHold',
  object({
    ...holdFields,
    status: status().example('RELEASED'),
    partner_id: id(EXAMPLE.partnerId).description('Whose hold it is.'),
    release_reason: orNull(Joi.string())
      .description('Null where none was given.')
      .example('The court is needed for a repair.'),
  }),
);

export const operatorReleaseBody = Joi.object<{ reason: string }>({
  reason: prose(500)
    .required()
    .description('Kept with the hold, for operators; partners see that it was released, not why.')
    .example('The court is needed for a repair.'),
}).required();

export const conflict = named(
  'Conflict',
  object({
    reason: unavailableReason().example('held'),
    free_at: timestamp(EXAMPLE.holdExpiry)
      .description('When the blocking hold expires, unless it is confirmed or extended.')
      .optional(),
    hold_id: id(EXAMPLE.holdId).description('The blocking hold. Present only if it is your own.').optional(),
    alternatives: Joi.array()
      .items(slot)
      .max(3)
      .description('Free slots of the same venue and sport, nearest in time, within the booking horizon.')
      .example([otherFreeSlot]),
  }),
);
