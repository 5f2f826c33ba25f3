import { isIP } from 'node:net';
import Joi from 'joi';
import { clientAddress } from '../../http/client-address.rules.ts';
import { EXAMPLE } from '../../http/example-values.ts';
import { cursor, instant, instantNotAfter, pageLimit, text } from '../../http/fields.ts';
import { count, id, named, object, orNull, pageOf, timestamp } from '../../http/response-fields.ts';
import type { Position } from '../../platform/pagination.ts';
import type { ActionQuery } from './audit.service.ts';

export type AuditQuery = ActionQuery & { limit: number; cursor?: Position };

const ipAddress = () =>
  Joi.string()
    .custom((value: string, helpers) =>
      isIP(value) === 0 ? helpers.error('string.address') : clientAddress(value, undefined),
    )
    .messages({ 'string.address': 'must be an IPv4 or IPv6 address' });

export const auditQuery = Joi.object<AuditQuery>({
  action: text(100)
    .description('Only actions with this text in their name, ignoring case: `cancel` finds `cancelBooking`.')
    .example('cancel'),
  subject: text(200)
    .description('Only actions on the object with this id: a booking, partner, key, venue, resource or any other.')
    .example(EXAMPLE.partnerId),
  who: Joi.string()
    .valid('api-key', 'session', 'nobody')
    .description('Only actions with the key, in a browser (`session`), or with a wrong key (`nobody`).'),
  address: ipAddress().description('Only actions from this address.').example('192.0.2.7'),
  from: instantNotAfter('to').description('Only actions at this instant or later.').example(EXAMPLE.now),
  to: instant().description('Only actions up to this instant, included.').example(EXAMPLE.later),
  limit: pageLimit(),
  cursor: cursor(),
});

const subjectAt = (status: string) => orNull(Joi.object()).example({ partner_id: EXAMPLE.partnerId, status });

const action = named(
  'AuditedAction',
  object({
    id: id(EXAMPLE.requestId),
    at: timestamp(),
    who: Joi.string()
      .allow(null)
      .valid('api-key', 'session')
      .description('How the operator was identified; null for a wrong key.')
      .example('session'),
    key_id: Joi.string()
      .allow(null)
      .description("The id of the operator's key, which does not reveal the key.")
      .example('op_5f3a9c1e7b20'),
    address: Joi.string()
      .allow(null)
      .description(
        'The address of the caller; null if the row stands for many addresses, and in rows of older releases.',
      )
      .example('192.0.2.7'),
    attempts: count(1).description('The number of wrong keys from one address in one minute; 1 for other actions.'),
    action: Joi.string()
      .description(
        'The operationId, or signIn, signOut, wrongKey, pauseQueue, resumeQueue, useQueueBoard; `unknown` for an unknown path.',
      )
      .example('updatePartner'),
    method: Joi.string().example('PATCH'),
    path: Joi.string().example(`/api/v1/operator/partners/${EXAMPLE.partnerId}`),
    reason: orNull(Joi.string())
      .description('The operator’s reason for the pause of a queue; null for other actions.')
      .example(null),
    request_id: Joi.string()
      .description('X-Request-Id of the response; the caller may have chosen it.')
      .example(EXAMPLE.requestId),
    server_request_id: orNull(Joi.string())
      .description('The id that the service itself gave the request, also in its log.')
      .example(EXAMPLE.requestId),
    status: Joi.number()
      .integer()
      .allow(null)
      .description('The status of the response; null while it is unknown, for example after a crash.')
      .example(200),
    error_code: Joi.string().allow(null).description('The error code of a rejected action.').example(null),
    before: subjectAt('active').description(
      'The object before the action, without secrets and customer data. If it is above 16 KB, notes replace its longest members. Null if there was no object.',
    ),
    after: subjectAt('suspended').description(
      'The object after the action, or the body of the response, shortened likewise. Null if the action was rejected.',
    ),
  }),
);

export const auditPage = pageOf(action);
