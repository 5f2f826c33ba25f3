import Joi from 'joi';
import { EXAMPLE } from '../../http/example-values.ts';
import {
  amount,
  growing,
  id,
  named,
  object,
  orNull,
  resourceId,
  slotId,
  timestamp,
} from '../../http/response-fields.ts';
import { otherFreeSlot, slot, UNAVAILABLE_REASONS } from '../availability/availability.schemas.ts';

export const conflict = named(
  'Conflict',
  object({
    reason: growing(Joi.string().valid(...UNAVAILABLE_REASONS, 'none_free', 'price_changed'))
      .description(
        'Why no hold was placed: `none_free` if you accepted several slots, `price_changed`, or a reason as in availability.',
      )
      .example('held'),
    free_at: timestamp(EXAMPLE.holdExpiry)
      .description('When the blocking hold expires, unless it is confirmed or extended.')
      .optional(),
    hold_id: id(EXAMPLE.holdId).description('The blocking hold. Present only if it is your own.').optional(),
    resources: Joi.array()
      .items(
        object({
          resource_id: resourceId(),
          slot_id: orNull(slotId()).description('Null if the schedule of the resource has no slot at that start.'),
          reason: growing(Joi.string().valid(...UNAVAILABLE_REASONS, 'no_slot')).example('held'),
          free_at: timestamp(EXAMPLE.holdExpiry).optional(),
        }),
      )
      .description('Present with `none_free`: why each resource is not available, in the order of preference.')
      .optional(),
    price_rupees: amount().description('Present with `price_changed`: the price of the slot now.').optional(),
    expected_price_rupees: amount().description('Present with `price_changed`: the price that you sent.').optional(),
    slot_id: slotId().description('Present with `price_changed`: the free slot.').optional(),
    alternatives: Joi.array()
      .items(slot)
      .max(3)
      .description('Free slots of the same venue and sport, nearest in time, within the booking horizon.')
      .example([otherFreeSlot]),
  }),
);
