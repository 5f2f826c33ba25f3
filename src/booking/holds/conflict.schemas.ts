import Joi from 'joi';
import { EXAMPLE } from '../../http/example-values.ts';
import * as response from '../../http/response-fields.ts';
import { otherFreeSlot, slot, UNAVAILABLE_REASONS } from '../availability/availability.schemas.ts';

export const conflict = response.named(
  'Conflict',
  response.object({
    reason: response
      .growing(Joi.string().valid(...UNAVAILABLE_REASONS, 'none_free', 'price_changed'))
      .description(
        'Why no hold was placed: `none_free` if you accepted several slots, `price_changed`, or a reason as in availability.',
      )
      .example('held'),
    free_at: response
      .timestamp(EXAMPLE.holdExpiry)
      .description('When the blocking hold expires, unless it is confirmed or extended.')
      .optional(),
    hold_id: response.id(EXAMPLE.holdId).description('The blocking hold. Present only if it is your own.').optional(),
    resources: Joi.array()
      .items(
        response.object({
          resource_id: response.resourceId(),
          slot_id: response
            .orNull(response.slotId())
            .description('Null if the schedule of the resource has no slot at that start.'),
          reason: response.growing(Joi.string().valid(...UNAVAILABLE_REASONS, 'no_slot')).example('held'),
          free_at: response.timestamp(EXAMPLE.holdExpiry).optional(),
        }),
      )
      .description('Present with `none_free`: why each resource is not available, in the order of preference.')
      .optional(),
    price_rupees: response.amount().description('Present with `price_changed`: the price of the slot now.').optional(),
    expected_price_rupees: response
      .amount()
      .description('Present with `price_changed`: the price that you sent.')
      .optional(),
    slot_id: response.slotId().description('Present with `price_changed`: the free slot.').optional(),
    alternatives: Joi.array()
      .items(slot)
      .max(3)
      .description('Free slots of the same venue and sport, nearest in time, within the booking horizon.')
      .example([otherFreeSlot]),
  }),
);
