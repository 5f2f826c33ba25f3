import Joi from 'joi';
import { EXAMPLE } from '../http/example-values.ts';
import { claimFields, count, id, named, object } from '../http/response-fields.ts';
import { MAX_CONFLICTS_SHOWN } from './reservation-views.rules.ts';

const conflict = named(
  'BlackoutConflict',
  object({
    booking_id: id(EXAMPLE.bookingId).description('Present if the conflict is a booking.').optional(),
    hold_id: Joi.string()
      .meta({ jsonSchema: { format: 'uuid' } })
      .description('Present instead of booking_id if the conflict is an unconfirmed hold.')
      .optional(),
    ...claimFields,
  }),
);

/** The fields of `conflictsView`; `which` describes the holds and bookings. */
export const conflictFields = (which: string) => ({
  conflict_count: count(1).description(`The number of live holds and bookings ${which}.`),
  conflicts: Joi.array()
    .items(conflict)
    .max(MAX_CONFLICTS_SHOWN)
    .description(
      `The first ${MAX_CONFLICTS_SHOWN} live holds and bookings ${which} at the time of the response, sorted by start. The call changes none of them.`,
    ),
});
