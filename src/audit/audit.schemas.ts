import Joi from 'joi';
import { id, named, orNull, pageOf, shape, timestamp } from '../http/answer-fields.ts';
import { EXAMPLE } from '../http/example-values.ts';
import { cursor, instant, instantNotAfter, pageLimit, text } from '../http/fields.ts';
import type { Position } from '../platform/pagination.ts';

export type AuditQuery = { action?: string; from?: Date; to?: Date; limit: number; cursor?: Position };

export const auditQuery = Joi.object<AuditQuery>({
  action: text(100).description('Only this action.').example('updatePartner'),
  from: instantNotAfter('to')
    .description('Only what was done at this instant or later.')
    .example(EXAMPLE.now),
  to: instant().description('Only what was done up to this instant, included.').example(EXAMPLE.later),
  limit: pageLimit(),
  cursor: cursor(),
});

const seen = (status: string) => orNull(Joi.object()).example({ partner_id: EXAMPLE.partnerId, status });

const action = named(
  'AuditedAction',
  shape({
    id: id(EXAMPLE.requestId),
    at: timestamp(),
    who: Joi.string()
      .allow(null)
      .valid('api-key', 'session')
      .description('How the operator was known; null where a sign-in failed.')
      .example('session'),
    action: Joi.string()
      .description(
        'The operationId; or signIn, signOut, useQueueBoard; unknown where there is no such operation.',
      )
      .example('updatePartner'),
    method: Joi.string().example('PATCH'),
    path: Joi.string().example(`/api/v1/operator/partners/${EXAMPLE.partnerId}`),
    request_id: Joi.string().example(EXAMPLE.requestId),
    status: Joi.number()
      .integer()
      .allow(null)
      .description('What was answered; null while it is not known, as after a crash in between.')
      .example(200),
    error_code: Joi.string().allow(null).description('Of a refused action.').example(null),
    before: seen('active').description(
      'What it was about, before it; without secrets and customers’ data, and beyond 16 KB without its longest members. Null where nothing was there.',
    ),
    after: seen('suspended').description(
      'The same after it, or what was answered, as short. Null where it was refused.',
    ),
  }),
);

export const auditPage = pageOf(action);
