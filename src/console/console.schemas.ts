import Joi from 'joi';
import type { AuditQuery } from '../audit/audit.schemas.ts';
import { auditQuery } from '../audit/audit.schemas.ts';
import { date, dateNotAfter, uuid } from '../http/fields.ts';

/** Which venue's day the grid shows; the first venue's today unless stated. */
export const gridQuery = Joi.object<{ venue_id?: string; date?: string }>({ venue_id: uuid(), date: date() });

export type AuditPageQuery = Omit<AuditQuery, 'from' | 'to'> & { from?: string; to?: string };

/** The query of the operator API, with days in the place of instants. */
export const auditPageQuery = auditQuery.keys({
  from: dateNotAfter('to'),
  to: date(),
}) as unknown as Joi.ObjectSchema<AuditPageQuery>;
