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
    .description('Only actions whose name has this in it, in any case: `cancel` finds `cancelBooking`.')
    .example('cancel'),
  subject: text(200)
    .description('Only what was about the object with this id: a booking, partner, key, venue, resource or any other.')
    .example(EXAMPLE.partnerId),
  who: Joi.string()
    .valid('api-key', 'session', 'nobody')
    .description('Only what was done with the key, or in a browser; or with a wrong key.'),
  address: ipAddress().description('Only what was called from this address.').example('192.0.2.7'),
  from: instantNotAfter('to').description('Only what was done at this instant or later.').example(EXAMPLE.now),
  to: instant().description('Only what was done up to this instant, included.').example(EXAMPLE.later),
  limit: pageLimit(),
  cursor: cursor(),
});

const seen = (status: string) => orNull(Joi.object()).example({ partner_id: EXAMPLE.partnerId, status });

const action = named(
  'AuditedAction',
  object({
    id: id(EXAMPLE.requestId),
    at: timestamp(),
    who: Joi.string()
      .allow(null)
      .valid('api-key', 'session')
      .description('How the operator was known; null where a key was wrong.')
      .example('session'),
    key_id: Joi.string()
      .allow(null)
      .description("Names the operator's key, which it does not show: the same for the same key.")
      .example('op_5f3a9c1e7b20'),
    address: Joi.string()
      .allow(null)
      .description(
        'From where it was called; null where the row stands for many addresses, or is from before this was kept.',
      )
      .example('192.0.2.7'),
    attempts: count(1).description(
      'How many wrong keys the row stands for, of one address in one minute; 1 of all else.',
    ),
    action: Joi.string()
      .description(
        'The operationId; or signIn, signOut, wrongKey, pauseQueue, resumeQueue, useQueueBoard; unknown where there is no such operation.',
      )
      .example('updatePartner'),
    method: Joi.string().example('PATCH'),
    path: Joi.string().example(`/api/v1/operator/partners/${EXAMPLE.partnerId}`),
    reason: orNull(Joi.string())
      .description('Why, of the pause of a queue, in the operator’s words; null of all else.')
      .example(null),
    request_id: Joi.string()
      .description('As in the response, X-Request-Id; the caller may have chosen it.')
      .example(EXAMPLE.requestId),
    server_request_id: orNull(Joi.string())
      .description('The id that the service gave the request itself, in its log too.')
      .example(EXAMPLE.requestId),
    status: Joi.number()
      .integer()
      .allow(null)
      .description('The status of the response; null while it is not known, as after a crash in between.')
      .example(200),
    error_code: Joi.string().allow(null).description('Of a rejected action.').example(null),
    before: seen('active').description(
      'What it was about, before it; without secrets and customers’ data, and beyond 16 KB without its longest members. Null where nothing was there.',
    ),
    after: seen('suspended').description(
      'The same after it, or the body of the response, as short. Null where it was rejected.',
    ),
  }),
);

export const auditPage = pageOf(action);
