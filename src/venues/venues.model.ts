import type { Model } from 'mongoose';
import { Schema } from 'mongoose';
import type { CollectionDefinition } from '../platform/collections.ts';
import type { Db } from '../platform/mongo.ts';
import { modelOf } from '../platform/mongo.ts';

export type VenueRow = {
  _id: string;
  name: string;
  address: string;
  city: string;
  timeZone: string;
  status: 'active' | 'inactive';
};

export type ResourceRow = {
  /** The public slug, unique over the whole service. */
  _id: string;
  venueId: string;
  name: string;
  resourceType: string;
  sportCategory: string;
  durationMinutes: number;
  pricePaise: number;
  /** Local wall time `HH:MM`; an end at or before the start is on the next day. */
  opensAt: string;
  closesAt: string;
  sharesSpaceWith: string[];
  status: 'active' | 'inactive';
};

const venueSchema = new Schema<VenueRow>(
  {
    _id: { type: String, required: true },
    name: { type: String, required: true },
    address: { type: String, required: true },
    city: { type: String, required: true },
    timeZone: { type: String, required: true },
    status: { type: String, enum: ['active', 'inactive'], required: true },
  },
  { collection: 'venues', versionKey: false },
);

const resourceSchema = new Schema<ResourceRow>(
  {
    _id: { type: String, required: true },
    venueId: { type: String, required: true },
    name: { type: String, required: true },
    resourceType: { type: String, required: true },
    sportCategory: { type: String, required: true },
    durationMinutes: { type: Number, required: true },
    pricePaise: { type: Number, required: true },
    opensAt: { type: String, required: true },
    closesAt: { type: String, required: true },
    sharesSpaceWith: { type: [String], required: true },
    status: { type: String, enum: ['active', 'inactive'], required: true },
  },
  { collection: 'resources', versionKey: false },
);

export const venueModel = (db: Db): Model<VenueRow> => modelOf(db, 'Venue', venueSchema);
export const resourceModel = (db: Db): Model<ResourceRow> => modelOf(db, 'Resource', resourceSchema);

export const VENUE_COLLECTIONS: CollectionDefinition[] = [
  {
    name: 'venues',
    jsonSchema: {
      required: ['name', 'timeZone', 'status'],
      properties: { status: { enum: ['active', 'inactive'] } },
    },
    indexes: [],
  },
  {
    name: 'resources',
    jsonSchema: {
      required: ['venueId', 'durationMinutes', 'pricePaise', 'sharesSpaceWith', 'status'],
      properties: {
        durationMinutes: { bsonType: 'int', minimum: 5, maximum: 1440, multipleOf: 5 },
        pricePaise: { bsonType: ['int', 'long', 'double'], minimum: 0 },
        status: { enum: ['active', 'inactive'] },
      },
    },
    indexes: [{ name: 'resources_of_venue', key: { venueId: 1, _id: 1 } }],
  },
];
