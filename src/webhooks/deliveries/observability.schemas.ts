import Joi from 'joi';
import { EXAMPLE } from '../../http/example-values.ts';
import { cursor, pageLimit, uuid } from '../../http/fields.ts';
import { count, id, nextCursor, object, orNull, timestamp } from '../../http/response-fields.ts';
import type { Position } from '../../platform/pagination.ts';
import { EVENT_TYPES } from '../../reservations/event-types.ts';
import { endpointUrl } from '../subscriptions/subscriptions.schemas.ts';
import { delivery } from './deliveries.schemas.ts';

const STATUS_FILTERS = ['pending', 'retrying', 'succeeded', 'dead_letter'] as const;

export type ListQuery = {
  status: (typeof STATUS_FILTERS)[number] | 'all';
  event_type?: string;
  subscription_id?: string;
  limit: number;
  cursor?: Position;
};

export const listQuery = Joi.object<ListQuery>({
  status: Joi.string()
    .valid(...STATUS_FILTERS, 'all')
    .default('dead_letter')
    .description('Which deliveries `data` lists.'),
  event_type: Joi.string().valid(...EVENT_TYPES),
  subscription_id: uuid().description('Only deliveries to this subscription.'),
  limit: pageLimit(),
  cursor: cursor(),
});

const latency = (example: number) => orNull(Joi.number().min(0)).example(example);

const summary = object({
  window_hours: Joi.valid(24).example(24),
  events: count(318),
  deliveries: object({
    pending: count(2),
    retrying: count(1),
    succeeded: count(314),
    dead_letter: count(1),
  }),
  attempts: count(329),
  success_rate: orNull(Joi.number().min(0).max(1))
    .description('The share of successful attempts; null without attempts.')
    .example(0.954),
  latency_ms: object({ p50: latency(84), p95: latency(240), p99: latency(1310) }).description(
    'The response time of your endpoints; null without attempts.',
  ),
});

const subscriptionHealth = object({
  id: id(EXAMPLE.subscriptionId),
  endpoint_url: endpointUrl(),
  status: Joi.string().valid('active', 'inactive').example('active'),
  last_success_at: orNull(timestamp(EXAMPLE.later)).example(EXAMPLE.later),
  last_failure_at: orNull(timestamp()).example(EXAMPLE.now),
  consecutive_failures: count(0),
  dead_letter: count(1),
});

export const observability = object({
  success: Joi.boolean().valid(true),
  generated_at: timestamp(EXAMPLE.later),
  summary: summary.description('Your deliveries that were created in the last 24 hours, with all their attempts.'),
  subscriptions: Joi.array().items(subscriptionHealth),
  count: count(1).description('The length of `data`.'),
  data: Joi.array().items(delivery),
  next_cursor: nextCursor(),
});
