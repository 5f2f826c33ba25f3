import Joi from 'joi';
import { EXAMPLE } from '../../http/example-values.ts';
import { cursor, pageLimit } from '../../http/fields.ts';
import { count, id, named, object, orNull, pageOf, sentence, timestamp } from '../../http/response-fields.ts';
import type { Position } from '../../platform/pagination.ts';
import { ALERT_KINDS, type AlertKind } from './alert-types.ts';

type AlertsQuery = {
  status: 'open' | 'resolved' | 'all';
  kind?: AlertKind;
  limit: number;
  cursor?: Position;
};

export const alertsQuery = Joi.object<AlertsQuery>({
  status: Joi.string().valid('open', 'resolved', 'all').default('open').description('Only alerts in this state.'),
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
        'The subject: the id of a subscription, or the name of a queue or listener (partner, admin); null for the whole service.',
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
      'How many, by kind of alert: dead letters since it was raised; failures in a row; waiting reservations, holds or deliveries, up to 10,000; missing indexes; dead jobs; wrong keys. 1 for a paused queue or a queue without workers.',
    ),
    since: orNull(timestamp()).description('Since when the condition holds, if known.').example(EXAMPLE.now),
    delivery_ids: Joi.array().items(id(EXAMPLE.deliveryId)).description('The latest five dead letters.'),
    missing_indexes: Joi.array().items(Joi.string()).example([]),
    paused_by: orNull(Joi.string())
      .description("For a paused queue: the id of the operator's key that paused it, as in the audit.")
      .example(null),
    reason: orNull(Joi.string())
      .description('For a paused queue: the operator’s reason; null if the audit has no record of the pause.')
      .example(null),
    raised_at: timestamp(),
    last_seen_at: timestamp(EXAMPLE.later),
    resolved_at: orNull(timestamp(EXAMPLE.later))
      .description('When the condition had been gone for a minute.')
      .example(null),
    notified_at: orNull(timestamp())
      .description('When ALERT_URL last accepted it; null if never.')
      .example(EXAMPLE.now),
  }),
);

export const alertPage = pageOf(alert);
