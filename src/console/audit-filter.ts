import type Joi from 'joi';
import type { AuditQuery } from '../audit/audit.schemas.ts';
import { auditQuery } from '../audit/audit.schemas.ts';
import { date, dateNotAfter } from '../http/fields.ts';
import { dayBounds } from '../platform/calendar.ts';
import { omitUndefined } from '../platform/omit-undefined.ts';
import type { Filter } from './forms.tsx';

export type AuditPageQuery = Omit<AuditQuery, 'from' | 'to'> & { from?: string; to?: string };

/** The query of the operator API, with days in the place of instants. */
export const auditPageQuery = auditQuery.keys({
  from: dateNotAfter('to'),
  to: date(),
}) as unknown as Joi.ObjectSchema<AuditPageQuery>;

/** From the beginning of the first day to the end of the last in `timeZone`. */
export function daysAsInstants({ from, to }: AuditPageQuery, timeZone: string): { from?: Date; to?: Date } {
  const last = to === undefined ? undefined : dayBounds(to, timeZone).end;
  return omitUndefined({
    from: from === undefined ? undefined : dayBounds(from, timeZone).start,
    to: last === undefined ? undefined : new Date(last.getTime() - 1),
  });
}

export const AUDIT_FILTERS: Filter[] = [
  { name: 'action', label: 'Part of the action' },
  { name: 'subject', label: 'Id of what it was about' },
  {
    name: 'who',
    label: 'Who',
    options: [
      ['session', 'Browser'],
      ['api-key', 'Key'],
      ['nobody', 'Wrong key'],
    ],
  },
  { name: 'address', label: 'Address' },
  { name: 'from', label: 'From', isDate: true },
  { name: 'to', label: 'To', isDate: true },
];
