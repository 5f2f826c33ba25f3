import Joi from 'joi';
import { EXAMPLE } from '../../http/example-values.ts';
import { cursor, pageLimit } from '../../http/fields.ts';
import { count, id, named, object, orNull, pageOf, sentence, timestamp } from '../../http/response-fields.ts';
import type { Position } from '../../platform/pagination.ts';
import { ALERT_KINDS, type AlertKind } from './alert-types.ts';

export type AlertsQuery = {
  status: 'open' | 'resolved' | 'all';
  kind?: AlertKind;
  limit: number;
  cursor?: Position;
};

export const alertsQuery = Joi.object<AlertsQuery>({
  status: Joi.string().valid('open', 'resolved', 'all').default('open').description('Only these.'),
  kind: Joi.string()
    .valid(...ALERT_KINDS)
    .description('Only of this kind.'),
  limit: pageLimit(),
  cursor: cursor(),
});

const alert = named(
  'Alert',
  object({
    id: id(EXAMPLE.requestId),
    kind: Joi.string()
      .valid(...ALERT_KINDS)
      .example('dead_letter'),
    subject: orNull(Joi.string())
      .description(
        'The id of the subscription, or the name of the queue or the listener (partner, admin) that it is about; null where it is about the whole service.',
      )
      .example(EXAMPLE.subscriptionId),
    partner_id: orNull(id(EXAMPLE.partnerId))
      .description('The partner of the subscription.')
      .example(EXAMPLE.partnerId),
    status: Joi.string().valid('open', 'resolved').example('open'),
    message: sentence(
      `2 deliveries to webhook subscription ${EXAMPLE.subscriptionId} of partner ${EXAMPLE.partnerId} failed after 5 attempts. Redeliver them once the endpoint works.`,
    ),
    count: count(2).description(
      'Dead letters since it was raised; failures in a row; reservations, holds or deliveries that wait, up to 10,000; absent indexes; jobs that were given up; 1 of a paused or unworked queue; wrong keys.',
    ),
    since: orNull(timestamp()).description('Since when the condition holds, where that is known.').example(EXAMPLE.now),
    delivery_ids: Joi.array().items(id(EXAMPLE.deliveryId)).description('The latest five of the dead letters.'),
    missing_indexes: Joi.array().items(Joi.string()).example([]),
    paused_by: orNull(Joi.string())
      .description("Of a paused queue: names the operator's key that paused it, as in the audit.")
      .example(null),
    reason: orNull(Joi.string())
      .description('Of a paused queue: why, in the operator’s words; null where the audit does not know of the pause.')
      .example(null),
    raised_at: timestamp(),
    last_seen_at: timestamp(EXAMPLE.later),
    resolved_at: orNull(timestamp(EXAMPLE.later))
      .description('When it was found to have been gone for a minute.')
      .example(null),
    notified_at: orNull(timestamp())
      .description('When ALERT_URL took it last; null where it never has.')
      .example(EXAMPLE.now),
  }),
);

export const alertPage = pageOf(alert);
