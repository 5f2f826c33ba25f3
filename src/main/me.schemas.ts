import Joi from 'joi';
import { EXAMPLE } from '../http/example-values.ts';
import { count, id, named, object, orNull, sentence, timestamp } from '../http/response-fields.ts';

const limits = object({
  rate_limit_per_minute: orNull(Joi.number().integer())
    .description('Your calls in a minute, with all keys together; null without a limit.')
    .example(600),
  max_active_holds: count(500).description('Your ACTIVE holds at the same time.'),
  hold_ttl_seconds: count(600).description('The lifetime of a hold without `ttl_seconds`.'),
  max_hold_ttl_seconds: count(1800).description('The largest `ttl_seconds`.'),
  max_hold_life_seconds: count(7200).description('The longest life of an extended hold, from when it was placed.'),
  max_range_days: count(31).description('The number of dates for which one call may read availability.'),
  max_webhooks: count(20).description('Your webhook subscriptions, inactive ones included.'),
  webhook_retry_delays_seconds: Joi.array()
    .items(Joi.number())
    .description('The delay after each failed attempt; the last attempt has none.')
    .example([300, 900, 1800, 3600]),
});

export const me = named(
  'Me',
  object({
    partner_id: id(EXAMPLE.partnerId),
    name: sentence('Turf Town'),
    status: Joi.string()
      .valid('active', 'suspended')
      .description('Always active here: calls of a suspended partner are rejected.')
      .example('active'),
    mode: Joi.string()
      .valid('sandbox', 'production')
      .description('The mode of the deployment. The paths under *Sandbox* exist in a sandbox only.')
      .example('sandbox'),
    key: object({
      id: id(EXAMPLE.keyId),
      created_at: timestamp(),
      expires_at: orNull(timestamp()).description('When the key expires; null if it does not.').example(null),
      last_used_at: orNull(timestamp())
        .description('When the key was last used, to the minute; null before its first use is recorded.')
        .example(EXAMPLE.later),
    }).description('The key with which this call was made.'),
    limits,
    horizon_days: count(90).description(
      "Slots can be held up to this many days after today's date at the venue, inclusive.",
    ),
    venues: Joi.array()
      .items(object({ venue_id: id(EXAMPLE.venueId), name: sentence('Koramangala Sports Arena') }))
      .description('Every venue granted to you, by name. The list of venues has their other fields.'),
  }),
);
