import { defined } from '../platform/defined.ts';
import type { ActionQuery } from './audit.service.ts';

type Asked = {
  action?: string;
  subject?: string;
  who?: 'api-key' | 'session' | 'nobody';
  address?: string;
  from?: Date;
  to?: Date;
};

/** What a listing of the audit was asked for, in the service's names. */
export function actionFilter({ action, subject, who, address, from, to }: Asked): ActionQuery {
  return {
    ...defined({ action, subject, address, from, to }),
    ...(who === undefined ? {} : { who: who === 'nobody' ? null : who }),
  };
}
