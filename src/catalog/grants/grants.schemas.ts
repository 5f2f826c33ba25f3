import Joi from 'joi';
import { EXAMPLE } from '../../http/example-values.ts';
import { claimFields, id, named, object } from '../../http/response-fields.ts';

export const revokedGrant = named(
  'RevokedGrant',
  object({
    released_holds: Joi.array()
      .items(object({ hold_id: id(EXAMPLE.holdId), ...claimFields }))
      .description('The live holds that this call released; everybody else can have their slots now.'),
  }),
);
