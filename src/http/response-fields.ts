import Joi, { type ObjectSchema, type Schema, type SchemaMap } from 'joi';
import { EXAMPLE } from './example-values.ts';

// Schemas of responses, for the API description and tests of real responses; nothing is validated while serving.

/** Fields are required unless `.optional()`. `additionalProperties` tells generated clients that more may be added. */
export const object = (fields: Record<string, Schema>): ObjectSchema =>
  Joi.object(
    Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, alwaysThere(field)])) as SchemaMap,
  ).meta({ jsonSchema: { additionalProperties: true } });

function alwaysThere(field: Schema): Schema {
  return field.$_getFlag('presence') === 'optional' ? field : field.required();
}

/** Names a schema in the published description. */
export const named = <Given extends Schema>(name: string, schema: Given): Given => schema.meta({ name }) as Given;

/** Publishes the allowed values as a list that may grow within a version (docs/guides/versioning.md). */
export const growing = <Given extends Schema>(schema: Given): Given => schema.meta({ grows: true }) as Given;

export const orNull = (schema: Schema): Schema => Joi.alternatives(schema, Joi.valid(null));

export const id = (example: string) =>
  Joi.string()
    .meta({ jsonSchema: { format: 'uuid' } })
    .example(example);

/** ISO 8601 in UTC, with milliseconds. */
export const timestamp = (example: string = EXAMPLE.now) =>
  Joi.string()
    .meta({
      jsonSchema: {
        format: 'date-time',
        pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{3}Z$',
      },
    })
    .example(example);

export const day = (example: string = EXAMPLE.date) =>
  Joi.string()
    .meta({ jsonSchema: { format: 'date' } })
    .example(example);

export const amount = (example: number = EXAMPLE.priceRupees) =>
  Joi.number().min(0).description('Rupees, with at most two decimals.').example(example);

export const count = (example: number) => Joi.number().integer().min(0).example(example);

export const sentence = (example: string) => Joi.string().example(example);

export const resourceId = () =>
  Joi.string()
    .description('A slug, unique in the service. Copy it from the listing; never construct it.')
    .example(EXAMPLE.resourceId);

/** The fields that a partner can attach to a hold or booking. */
export const attached = {
  order_reference: orNull(Joi.string()).description('As you sent it, or null.').example('order-2026-000731'),
  metadata: textsByName().description('As you sent it, or empty.').example({ basket: 'b-118' }),
};

/** The `attached` fields in an event: left out if not given. */
export const attachedIfGiven = {
  order_reference: Joi.string()
    .description('As you sent it on hold or confirm. Only in events of your own holds and bookings.')
    .example('order-2026-000731')
    .optional(),
  metadata: textsByName()
    .description('As you sent it on hold or confirm. Only in events of your own holds and bookings.')
    .example({ basket: 'b-118' })
    .optional(),
};

function textsByName() {
  return Joi.object().meta({ jsonSchema: { additionalProperties: { type: 'string' } } });
}

export const slotId = () => Joi.string().description('The id of the slot. Treat it as opaque.').example(EXAMPLE.slotId);

/** The owner and slot of a hold or booking in an operator's report. */
export const claimFields = {
  partner_id: id(EXAMPLE.partnerId),
  slot_id: slotId(),
  slot_start: timestamp(EXAMPLE.slotStart),
  slot_end: timestamp(EXAMPLE.slotEnd),
};

export const listOf = (item: Schema) =>
  object({
    success: Joi.boolean().valid(true),
    count: count(1).description('The length of `data`.'),
    data: Joi.array().items(item),
  });

export const pageOf = (item: Schema) => listOf(item).keys({ next_cursor: nextCursor().required() });

export const nextCursor = () =>
  Joi.string().allow(null).description('Pass it as `cursor` for the next page. Null on the last page.').example(null);
