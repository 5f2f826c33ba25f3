import Joi from 'joi';
import { type PriceRuleBody, priceRuleBody } from '../../catalog/venues/price-rules.schemas.ts';
import { type ScheduleBody, scheduleBody } from '../../catalog/venues/schedules.schemas.ts';
import {
  createResourceBody,
  createVenueBody,
  type ResourceBody,
  type VenueBody,
} from '../../catalog/venues/venues.schemas.ts';

type FileResource = Omit<ResourceBody, 'shares_space_with'> & {
  /** Names of resources; null if the file does not mention shared space. */
  shares_space_with: string[] | null;
  schedule?: ScheduleBody;
  price_rules: PriceRuleBody[];
};

/** A file of venues: the bodies of the operator API, with names in place of ids. */
export type VenuesFile = { venues: (VenueBody & { resources: FileResource[] })[] };

const resource = (createResourceBody as Joi.ObjectSchema).keys({
  shares_space_with: createResourceBody.extract('shares_space_with').default(null),
  schedule: scheduleBody.optional(),
  price_rules: Joi.array().items(priceRuleBody.optional()).default([]),
});

const venue = (createVenueBody as Joi.ObjectSchema).keys({
  resources: Joi.array().items(resource.optional()).default([]),
});

export const venuesFile = Joi.object<VenuesFile>({
  venues: Joi.array().items(venue.optional()).min(1).messages({ 'array.min': 'contains no venue' }).required(),
});
