import Joi from 'joi';
import { date, dateNotAfter, uuid } from '../http/fields.ts';
import type { AuditQuery } from '../operations/audit/audit.schemas.ts';
import { auditQuery } from '../operations/audit/audit.schemas.ts';

/** Which venue's day the grid shows; the first venue's today unless stated. */
export const gridQuery = Joi.object<{ venue_id?: string; date?: string }>({ venue_id: uuid(), date: date() });

export type AuditPageQuery = Omit<AuditQuery, 'from' | 'to'> & { from?: string; to?: string };

/** The query of the operator API, with days in the place of instants. */
export const auditPageQuery = auditQuery.keys({
  from: dateNotAfter('to'),
  to: date(),
}) as unknown as Joi.ObjectSchema<AuditPageQuery>;
