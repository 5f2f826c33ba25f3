import Joi from 'joi';
import { date, uuid } from '../http/fields.ts';

/** Which venue's day the grid shows; the first venue's today unless stated. */
export const gridQuery = Joi.object<{ venue_id?: string; date?: string }>({ venue_id: uuid(), date: date() });
