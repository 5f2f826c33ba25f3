import Joi from 'joi';
import { EXAMPLE } from '../http/example-values.ts';
import { id, named, object, slotId } from '../http/response-fields.ts';

export const revokedGrant = named(
  'RevokedGrant',
  object({
    released_holds: Joi.array()
      .items(object({ hold_id: id(EXAMPLE.holdId), slot_id: slotId() }))
      .description('The live holds that this call released; everybody else can have their slots now.'),
  }),
);
