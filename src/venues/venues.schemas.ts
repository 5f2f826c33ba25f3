import Joi from 'joi';
import { rupees, text, wallTime } from '../http/fields.ts';
import { isTimeZone } from '../platform/calendar.ts';

const timeZone = () =>
  Joi.string()
    .custom((value: string, helpers) => (isTimeZone(value) ? value : helpers.error('string.timeZone')))
    .messages({ 'string.timeZone': 'must be an IANA time zone such as Asia/Kolkata' });

const status = () => Joi.string().valid('active', 'inactive');

export type VenueBody = {
  name: string;
  address: string;
  city: string;
  time_zone?: string;
  status?: 'active' | 'inactive';
};

export const createVenueBody = Joi.object<VenueBody>({
  name: text(120).required(),
  address: text(300).required(),
  city: text(100).required(),
  time_zone: timeZone(),
  status: status(),
}).required();

export const updateVenueBody = Joi.object<Partial<VenueBody>>({
  name: text(120),
  address: text(300),
  city: text(100),
  time_zone: timeZone(),
  status: status(),
}).required();

export type ResourceBody = {
  name: string;
  resource_type: string;
  sport_category: string;
  duration_minutes: number;
  price_rupees: number;
  operating_hours_start: string;
  operating_hours_end: string;
  shares_space_with: string[];
  status?: 'active' | 'inactive';
};

const resourceFields = {
  name: text(80),
  resource_type: text(60),
  sport_category: text(60),
  duration_minutes: Joi.number().integer().min(5).max(1440).multiple(5),
  price_rupees: rupees(),
  operating_hours_start: wallTime(),
  operating_hours_end: wallTime(),
  status: status(),
};

export const createResourceBody = Joi.object<ResourceBody>({
  ...resourceFields,
  shares_space_with: Joi.array().items(text(200)).max(20).unique().default([]),
})
  .fork(
    [
      'name',
      'resource_type',
      'sport_category',
      'duration_minutes',
      'price_rupees',
      'operating_hours_start',
      'operating_hours_end',
    ],
    (schema) => schema.required(),
  )
  .required();

export const updateResourceBody =
  Joi.object<Partial<Omit<ResourceBody, 'shares_space_with'>>>(resourceFields).required();
