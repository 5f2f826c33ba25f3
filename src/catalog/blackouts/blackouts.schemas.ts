import Joi from 'joi';
import { EXAMPLE } from '../../http/example-values.ts';
import { instant, list, opaque, pathId, prose } from '../../http/fields.ts';
import { id, named, object, orNull, pageOf, resourceId, sentence, timestamp } from '../../http/response-fields.ts';
import { conflictFields } from '../../reservations/claim-conflicts.schemas.ts';

type BlackoutBody = { starts_at: Date; ends_at: Date; resource_ids?: string[]; reason: string };

const ALL = 'all resources of the venue, including later ones';
const SHARING = 'Resources that share space with them cannot be sold either.';

export const blackoutBody = Joi.object<BlackoutBody>({
  starts_at: instant().required().description('It may be in the past.').example('2026-12-24T18:30:00.000Z'),
  ends_at: instant()
    .required()
    .description('Exclusive; in the future, and at most 366 days after starts_at.')
    .example('2026-12-25T18:30:00.000Z'),
  resource_ids: list(opaque(200), 200)
    .min(1)
    .unique()
    .description(`The resources to close; if absent, ${ALL}. ${SHARING}`)
    .example([EXAMPLE.resourceId]),
  reason: prose(500).required().description('For operators; partners do not see it.').example('Resurfacing'),
}).required();

export const blackoutIdParam = pathId('`blackout_id` as listed.', EXAMPLE.blackoutId);

const blackoutFields = {
  blackout_id: id(EXAMPLE.blackoutId),
  venue_id: id(EXAMPLE.venueId),
  starts_at: timestamp('2026-12-24T18:30:00.000Z'),
  ends_at: timestamp('2026-12-25T18:30:00.000Z'),
  resource_ids: orNull(Joi.array().items(resourceId()).example([EXAMPLE.resourceId])).description(
    `The resources that are closed; null: ${ALL}. ${SHARING}`,
  ),
  reason: sentence('Resurfacing'),
  created_at: timestamp(),
};

export const blackoutPage = pageOf(named('Blackout', object(blackoutFields)));

export const blackoutWithConflicts = named(
  'BlackoutWithConflicts',
  object({ ...blackoutFields, ...conflictFields('in it') }),
);
