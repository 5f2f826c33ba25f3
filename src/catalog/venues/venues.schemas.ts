import type { ObjectSchema } from 'joi';
import Joi from 'joi';
import { toPaise } from '../../domain/money.ts';
import { EXAMPLE } from '../../http/example-values.ts';
import { list, opaque, pathId, rupees, text, wallTime, wallTimeEnd } from '../../http/fields.ts';
import { amount, growing, id, named, object, resourceId } from '../../http/response-fields.ts';
import { timeZoneNamed } from '../../platform/calendar.ts';
import { camelCased, omitUndefined, type SnakeCased } from '../../platform/objects.ts';
import { conflictFields } from '../../reservations/claim-conflicts.schemas.ts';
import type { NewResource } from './resources.service.ts';
import type { NewVenue } from './venues.service.ts';

const timeZone = () =>
  Joi.string()
    .custom((value: string, helpers) => timeZoneNamed(value) ?? helpers.error('string.timeZone'))
    .messages({ 'string.timeZone': 'must be an IANA time zone such as Asia/Kolkata' })
    .description('A name of the IANA time zone database, ignoring case; stored in the spelling of the database.')
    .meta({ jsonSchema: { pattern: '^[A-Za-z][A-Za-z0-9_+/-]*$' } })
    .example('Asia/Kolkata');

const status = () =>
  Joi.string().valid('active', 'inactive').description('Nothing is sold while it is inactive.').example('active');

export type VenueBody = SnakeCased<NewVenue>;

const venueFields = {
  name: text(120).example('Koramangala Arena'),
  address: text(300).example('80 Feet Road, Koramangala 4th Block'),
  city: text(100).example('Bengaluru'),
  time_zone: timeZone(),
  status: status(),
};

export const createVenueBody = Joi.object<VenueBody>(venueFields)
  .fork(['name', 'address', 'city'], (field) => field.required())
  .required();
export const updateVenueBody = Joi.object<Partial<VenueBody>>(venueFields).required();

export type ResourceBody = SnakeCased<Omit<NewResource, 'pricePaise' | 'opensAt' | 'closesAt'>> & {
  price_rupees: number;
  operating_hours_start: string;
  operating_hours_end: string;
};

const resourceFields = {
  name: text(80).example('Turf A'),
  resource_type: text(60).example('turf'),
  sport_category: text(60).example('football'),
  duration_minutes: Joi.number()
    .integer()
    .min(5)
    .max(1440)
    .multiple(5)
    .description('The length of a slot.')
    .example(60),
  price_rupees: rupees()
    .description('The base price of a slot: rupees, with at most two decimals.')
    .example(EXAMPLE.priceRupees),
  operating_hours_start: wallTime()
    .description("In the venue's time zone. The hours of every day if the resource has no schedule.")
    .example('06:00'),
  operating_hours_end: wallTimeEnd()
    .description(
      'If not after the start, it is on the next day. 00:00 to 00:00 is the whole day. 24:00 is stored as 00:00.',
    )
    .example('23:00'),
  status: status(),
};

const MAX_SHARED = 20;

const sharesSpaceWith = () =>
  list(opaque(200), MAX_SHARED)
    .unique()
    .description(
      'resource_id of the resources that share space with this one: they cannot be used at the same time. They then list this one too.',
    )
    .example([]);

export const createResourceBody = Joi.object<ResourceBody>({
  ...resourceFields,
  shares_space_with: sharesSpaceWith().default([]),
})
  .fork(
    Object.keys(resourceFields).filter((name) => name !== 'status'),
    (field) => field.required(),
  )
  .required();

export const updateResourceBody = Joi.object<Partial<ResourceBody>>({
  ...resourceFields,
  shares_space_with: sharesSpaceWith()
    .description(
      'resource_id of all resources that share space with this one from now on: they cannot be used at the same time. They then list this one too; other resources no longer do.',
    )
    .example(['koramangala-arena-full-ground'], { override: true }),
}).required();

export const venueIdParam = pathId('`venue_id` as listed.', EXAMPLE.venueId);
export const resourceIdParam = pathId('`resource_id` as listed.', EXAMPLE.resourceId);

export const venue = named(
  'Venue',
  object({
    venue_id: id(EXAMPLE.venueId),
    name: venueFields.name,
    address: venueFields.address,
    city: venueFields.city,
    status: growing(venueFields.status),
    time_zone: Joi.string().description('IANA time zone of the venue.').example('Asia/Kolkata'),
  }),
);

const resourceResponse = {
  resource_id: resourceId(),
  venue_id: id(EXAMPLE.venueId),
  name: resourceFields.name,
  resource_type: resourceFields.resource_type,
  sport_category: resourceFields.sport_category,
  duration_minutes: Joi.number().integer().min(5).max(1440).description('The length of a slot.').example(60),
  price_rupees: amount().description('The base price, in rupees; availability has the price of each slot.'),
  operating_hours_start: resourceFields.operating_hours_start.description(
    "In the venue's time zone. Dates can have other hours: see availability.",
  ),
  operating_hours_end: wallTime()
    .description('If not after the start, it is on the next day. 00:00 to 00:00 is the whole day.')
    .example('23:00'),
};

export const resource = named('Resource', object(resourceResponse));

export const operatorResource = named(
  'OperatorResource',
  object({
    ...resourceResponse,
    shares_space_with: Joi.array()
      .items(Joi.string())
      .description(
        'resource_id of the resources with which it shares space, so that they cannot be used at the same time.',
      )
      .example(['koramangala-arena-full-ground']),
    has_schedule: Joi.boolean()
      .description('Whether a schedule decides when it is open, instead of its operating hours.')
      .example(false),
    status: status(),
  }),
);

const offSale = object(conflictFields('of slots that are inactive or off the schedule'));

/** Adds the holds and bookings on slots that a change takes off sale. */
export const withOffSale = (name: string, schema: ObjectSchema): ObjectSchema => named(name, schema.concat(offSale));

export const venueWithConflicts = withOffSale('VenueWithConflicts', venue);
export const resourceWithConflicts = withOffSale('ResourceWithConflicts', operatorResource);

// These functions convert a request body to fields of a row. Routers may cast the result to a new row: the schema of
// the body requires each field that a new row must have.

export const venueChange = (body: Partial<VenueBody>): Partial<NewVenue> => camelCased(body);

export function resourceChange(body: Partial<ResourceBody>): Partial<NewResource> {
  const { price_rupees: price, operating_hours_start: opensAt, operating_hours_end: closesAt, ...rest } = body;
  const pricePaise = price === undefined ? undefined : toPaise(price);
  return { ...camelCased(rest), ...omitUndefined({ pricePaise, opensAt, closesAt }) };
}
