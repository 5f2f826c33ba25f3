import { omitUndefined } from '../platform/omit-undefined.ts';
import type { ActionQuery } from './audit.service.ts';

/** What a listing of the audit may be narrowed by, as a request names it. */
export type AuditFilter = {
  action?: string;
  subject?: string;
  who?: 'api-key' | 'session' | 'nobody';
  address?: string;
  from?: Date;
  to?: Date;
};

/** What a listing of the audit was asked for, in the service's names. */
export function actionFilter({ action, subject, who, address, from, to }: AuditFilter): ActionQuery {
  return {
    ...omitUndefined({ action, subject, address, from, to }),
    ...(who === undefined ? {} : { who: who === 'nobody' ? null : who }),
  };
}
