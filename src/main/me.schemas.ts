import Joi from 'joi';
import { EXAMPLE } from '../http/example-values.ts';
import { count, id, named, object, orNull, sentence, timestamp } from '../http/response-fields.ts';

const limits = object({
  rate_limit_per_minute: orNull(Joi.number().integer())
    .description('Calls of yours in a minute, with whichever key; null where there is no limit.')
    .example(600),
  max_active_holds: count(500).description('ACTIVE holds of yours at one time.'),
  hold_ttl_seconds: count(600).description('How long a hold lasts that is placed without `ttl_seconds`.'),
  max_hold_ttl_seconds: count(1800).description('The largest `ttl_seconds`.'),
  max_hold_life_seconds: count(7200).description('How long after it was placed a hold can be extended to.'),
  max_range_days: count(31).description('Days in one call for a range of availability.'),
  max_webhooks: count(20).description('Webhook subscriptions of yours, inactive ones included.'),
  webhook_retry_delays_seconds: Joi.array()
    .items(Joi.number())
    .description(
      'How long after each failed attempt a delivery is tried again; one attempt more than delays.',
    )
    .example([300, 900, 1800, 3600]),
});

export const me = named(
  'Me',
  object({
    partner_id: id(EXAMPLE.partnerId),
    name: sentence('Turf Town'),
    status: Joi.string()
      .valid('active', 'suspended')
      .description("A suspended partner's calls are refused, so that only an active one reads this.")
      .example('active'),
    mode: Joi.string()
      .valid('sandbox', 'production')
      .description('What the deployment is that you call; the paths under *Sandbox* exist in a sandbox only.')
      .example('sandbox'),
    key: object({
      id: id(EXAMPLE.keyId),
      created_at: timestamp(),
      expires_at: orNull(timestamp())
        .description('From then on it is refused; null where it does not expire.')
        .example(null),
      last_used_at: orNull(timestamp())
        .description('When it was last used, to a minute; null where its first use has not been noted yet.')
        .example(EXAMPLE.later),
    }).description('The key with which this call was made.'),
    limits,
    horizon_days: count(90).description(
      'How many days after today, by the date at the venue, slots can be held; the last of them included.',
    ),
    venues: Joi.array()
      .items(object({ venue_id: id(EXAMPLE.venueId), name: sentence('Koramangala Sports Arena') }))
      .description(
        'Every venue granted to you, by name; none before onboarding. The list of venues has the rest of each.',
      ),
  }),
);
