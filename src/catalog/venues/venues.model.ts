import { type InferRawDocType, type Model, Schema } from 'mongoose';
import type { Weekday } from '../../platform/calendar.ts';
import type { CollectionDefinition } from '../../platform/ensure-collection.ts';
import { type Db, modelOf, REQUIRED_NUMBER, REQUIRED_TEXT } from '../../platform/mongo.ts';
import { MAX_PRICE_RULES } from './price-rule-limit.rules.ts';

/** Wall time `HH:MM` in the venue's zone; an end at or before the start is on the next day. */
export type Hours = { start: string; end: string };

/** The openings of each weekday, and the dates that differ, each at most once. */
export type Schedule = { weekly: Record<Weekday, Hours[]>; exceptions: { date: string; hours: Hours[] }[] };

/**
 * A price for some slots; null is no restriction. Times are those at which a slot starts, dates and days those of the
 * operating day. Either `pricePaise` or `multiplier` (of the base price) is set.
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

const VENUE = {
  _id: REQUIRED_TEXT,
  name: REQUIRED_TEXT,
  address: REQUIRED_TEXT,
  city: REQUIRED_TEXT,
  timeZone: REQUIRED_TEXT,
  status: STATUS,
} as const;

export type VenueRow = InferRawDocType<typeof VENUE>;
export type VenueColumns = Partial<Omit<VenueRow, '_id'>>;

const RESOURCE = {
  /** The public slug, unique in the service. */
  _id: REQUIRED_TEXT,
  venueId: REQUIRED_TEXT,
  name: REQUIRED_TEXT,
  resourceType: REQUIRED_TEXT,
  sportCategory: REQUIRED_TEXT,
  durationMinutes: REQUIRED_NUMBER,
  pricePaise: REQUIRED_NUMBER,
  /** Hours `HH:MM` of every day while there is no schedule; an end at or before the start is on the next day. */
  opensAt: REQUIRED_TEXT,
  closesAt: REQUIRED_TEXT,
  sharesSpaceWith: { type: [String], required: true },
  status: STATUS,
} as const;

/** `priceRules`: the oldest first. */
export type ResourceRow = InferRawDocType<typeof RESOURCE> & { schedule?: Schedule; priceRules?: PriceRule[] };

export type ResourceColumns = Partial<Omit<ResourceRow, '_id' | 'venueId'>>;

/** Incremented by walk-ins, blackouts and changes of shared space: their transactions conflict (ADR 0007). */
type Fenced = { claimFence?: number };

/** Calls that have switched the resource off while they share its space; absent if an operator set its status. */
type SwitchedOff = { offFor?: string[] };

const venueSchema = new Schema<VenueRow & Fenced>(
  { ...VENUE, claimFence: Number },
  { collection: 'venues', versionKey: false },
);

const resourceSchema = new Schema<ResourceRow & Fenced & SwitchedOff>(
  {
    ...RESOURCE,
    schedule: Schema.Types.Mixed,
    priceRules: { type: [Schema.Types.Mixed], default: undefined },
    claimFence: Number,
    offFor: { type: [String], default: undefined },
  },
  { collection: 'resources', versionKey: false },
);

export const venueModel = (db: Db): Model<VenueRow & Fenced> => modelOf(db, 'Venue', venueSchema);
export const resourceModel = (db: Db): Model<ResourceRow & Fenced & SwitchedOff> =>
  modelOf(db, 'Resource', resourceSchema);

export const VENUE_COLLECTIONS: [CollectionDefinition<VenueRow>, CollectionDefinition<ResourceRow>] = [
  {
    name: 'venues',
    jsonSchema: { required: ['name', 'timeZone', 'status'], properties: { status: { enum: ['active', 'inactive'] } } },
    indexes: [{ name: 'venues_by_name', key: { name: 1, _id: 1 } }],
  },
  {
    name: 'resources',
    jsonSchema: {
      required: ['venueId', 'durationMinutes', 'pricePaise', 'sharesSpaceWith', 'status'],
      properties: {
        durationMinutes: { bsonType: 'int', minimum: 5, maximum: 1440, multipleOf: 5 },
        pricePaise: { bsonType: ['int', 'long', 'double'], minimum: 0 },
        status: { enum: ['active', 'inactive'] },
        schedule: { bsonType: 'object', required: ['weekly', 'exceptions'] },
        priceRules: { bsonType: 'array', maxItems: MAX_PRICE_RULES },
      },
    },
    indexes: [
      { name: 'resources_of_venue', key: { venueId: 1, _id: 1 } },
      {
        name: 'resource_by_price_rule',
        key: { 'priceRules.id': 1 },
        partialFilterExpression: { 'priceRules.id': { $exists: true } },
      },
    ],
  },
];
