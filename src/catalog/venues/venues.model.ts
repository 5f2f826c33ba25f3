import { Schema } from 'mongoose';
import type { Weekday } from '../../platform/calendar.ts';
import type { Db } from '../../platform/mongo.ts';
import {
  collectionOf,
  definitionOf,
  mixed,
  modelOf,
  OPTIONAL,
  REQUIRED,
  type RowOf,
  schemaOf,
} from '../../platform/mongo-schema.ts';
import { MAX_PRICE_RULES } from './price-rule-limit.rules.ts';

/** Wall time `HH:MM` in the venue's zone; an end at or before the start is on the next day. */
export type Hours = { start: string; end: string };

/** The openings of each weekday, and exceptions, at most one a date. */
export type Schedule = { weekly: Record<Weekday, Hours[]>; exceptions: { date: string; hours: Hours[] }[] };

/**
 * A price for some slots; null restricts nothing. Times apply to the start of a slot, dates and days to the operating
 * day. Either `pricePaise` or `multiplier` (of the base price) is set.
 */
export type PriceRule = {
  id: string;
  name: string;
  pricePaise: number | null;
  multiplier: number | null;
  daysOfWeek: Weekday[] | null;
  startTime: string | null;
  endTime: string | null;
  fromDate: string | null;
  toDate: string | null;
  priority: number;
  createdAt: Date;
};

const STATUS = { type: String, enum: ['active', 'inactive'], required: true } as const;

/** Incremented by walk-ins, blackouts and changes of shared space: their transactions conflict (ADR 0007). */
const FENCE = { claimFence: OPTIONAL.number } as const;

export type VenueRow = Omit<RowOf<typeof venueSchema>, 'claimFence'>;
export type VenueColumns = Partial<Omit<VenueRow, '_id'>>;

const venueSchema = schemaOf('venues', {
  _id: REQUIRED.text,
  name: REQUIRED.text,
  address: REQUIRED.text,
  city: REQUIRED.text,
  timeZone: REQUIRED.text,
  status: STATUS,
  ...FENCE,
});
venueSchema.index({ name: 1, _id: 1 }, { name: 'venues_by_name' });

export type ResourceRow = Omit<RowOf<typeof resourceSchema>, 'claimFence' | 'offFor'>;
export type ResourceColumns = Partial<Omit<ResourceRow, '_id' | 'venueId'>>;

const resourceSchema = schemaOf('resources', {
  /** The public slug, unique in the service. */
  _id: REQUIRED.text,
  venueId: REQUIRED.text,
  name: REQUIRED.text,
  resourceType: REQUIRED.text,
  sportCategory: REQUIRED.text,
  durationMinutes: { type: Schema.Types.Int32, required: true },
  pricePaise: REQUIRED.number,
  /** Hours `HH:MM` of every day while there is no schedule; an end at or before the start is on the next day. */
  opensAt: REQUIRED.text,
  closesAt: REQUIRED.text,
  sharesSpaceWith: REQUIRED.texts,
  status: STATUS,
  schedule: mixed<Schedule>(),
  /** The oldest first. */
  priceRules: { type: [mixed<PriceRule>()], default: undefined },
  ...FENCE,
  /** The calls that keep the resource inactive while they share its space; absent if an operator set its status. */
  offFor: OPTIONAL.texts,
});
resourceSchema.index({ venueId: 1, _id: 1 }, { name: 'resources_of_venue' });
resourceSchema.index(
  { 'priceRules.id': 1 },
  { name: 'resource_by_price_rule', partialFilterExpression: { 'priceRules.id': { $exists: true } } },
);

export const venueModel = (db: Db) => modelOf(db, venueSchema);
export const resourceModel = (db: Db) => modelOf(db, resourceSchema);

export const venueCollection = (db: Db) => collectionOf(db, venueSchema);
export const resourceCollection = (db: Db) => collectionOf(db, resourceSchema);

export const VENUE_COLLECTIONS = [
  definitionOf(venueSchema),
  definitionOf(resourceSchema, {
    properties: {
      durationMinutes: { minimum: 5, maximum: 1440, multipleOf: 5 },
      pricePaise: { minimum: 0 },
      schedule: { bsonType: 'object', required: ['weekly', 'exceptions'] },
      priceRules: { maxItems: MAX_PRICE_RULES },
    },
  }),
];
