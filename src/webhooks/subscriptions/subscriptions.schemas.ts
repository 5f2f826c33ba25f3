import Joi from 'joi';
import { eventType } from '../../events/events.schemas.ts';
import { EXAMPLE } from '../../http/example-values.ts';
import { cursor, list, type PageQuery, pageLimit, pathId, uuid } from '../../http/fields.ts';
import { count, growing, id, named, object, orNull, pageOf, timestamp } from '../../http/response-fields.ts';
import { EVENT_TYPES, type EventType } from '../../reservations/event-types.ts';
import type { EndpointRules } from '../sender/endpoint-address.rules.ts';
import { parseEndpoint } from '../sender/endpoint-url.ts';

type CreateBody = { endpoint_url: string; event_types: EventType[]; venue_ids?: string[] | null };

const ENDPOINT = 'https://partner.example.com/webhooks/bookings';

const endpoint = (rules: EndpointRules) =>
  Joi.string()
    .custom((value: string, helpers) => {
      const parsed = parseEndpoint(value, rules);
      return 'fault' in parsed ? helpers.message({ custom: parsed.fault }) : parsed.href;
    })
    .description(
      'An absolute https URL of a public host, without user name, password, fragment, backslash, braces and invisible characters, on port 443 or 1024 and above by default. It is stored as the URL standard writes it (host in lower case, special characters percent-encoded), and is then at most 2,048 characters long. Redirects are not followed.',
    )
    .meta({
      jsonSchema: {
        format: 'uri',
        maxLength: 2048,
        pattern: rules.allowPrivateNetworks ? '^[Hh][Tt][Tt][Pp][Ss]?:' : '^[Hh][Tt][Tt][Pp][Ss]:',
      },
    })
    .example(ENDPOINT);

const eventTypes = () =>
  list(Joi.string().valid(...EVENT_TYPES), 50)
    .min(1)
    .description('The event types to deliver. Duplicates count once.')
    .example(['booking_created', 'booking_cancelled', 'hold_expired']);

const venueIds = () =>
  list(uuid(), 100)
    .min(1)
    .unique()
    .allow(null)
    .description(
      'Deliver only events of these venues, each granted to you. Null (the default of a new subscription): all venues granted to you. The feed is not filtered.',
    )
    .example([EXAMPLE.venueId]);

export const createBody = (rules: EndpointRules) =>
  Joi.object<CreateBody>({
    endpoint_url: endpoint(rules).required(),
    event_types: eventTypes().required(),
    venue_ids: venueIds(),
  }).required();

export const changeBody = (rules: EndpointRules) =>
  Joi.object<Partial<CreateBody>>({
    endpoint_url: endpoint(rules),
    event_types: eventTypes(),
    venue_ids: venueIds(),
  })
    .or('endpoint_url', 'event_types', 'venue_ids')
    .required()
    .messages({
      'object.missing': 'is required if no other field is sent: send at least one of the three',
    })
    .description('Send at least one field.');

type RotateBody = { overlap_seconds: number };

export const rotateBody = Joi.object<RotateBody>({
  overlap_seconds: Joi.number()
    .integer()
    .min(0)
    .max(604_800)
    .default(0)
    .description('How long deliveries also carry X-Service-Signature-Previous, made with the old secret.')
    .example(86_400),
}).required();

export const subscriptionIdParam = pathId('`id` of one of your subscriptions.', EXAMPLE.subscriptionId);

export const endpointUrl = () => Joi.string().example(ENDPOINT);

const secretKey = () =>
  Joi.string()
    .description(
      'Verify deliveries with it; later reads do not return it. The whole string, prefix included, is the HMAC key of X-Service-Signature. Give the whole string to a library for Standard Webhooks, too.',
    )
    .meta({ jsonSchema: { pattern: '^whsec_[A-Za-z0-9+/]{43}=$' } })
    .example('whsec_c2FtcGxlLXNlY3JldC1vZi1leGFjdGx5LTMyLWJ5dGU=');

const fields = {
  id: id(EXAMPLE.subscriptionId),
  endpoint_url: endpointUrl(),
  event_types: Joi.array()
    .items(growing(eventType()))
    .example(['booking_created', 'booking_cancelled', 'hold_expired']),
  venue_ids: orNull(Joi.array().items(id(EXAMPLE.venueId)))
    .description('Only events of these venues are delivered; null: of all venues granted to you.')
    .example(null),
  status: Joi.string().valid('active', 'inactive').example('active'),
  created_at: timestamp(),
};

const rotatedAt = () => orNull(timestamp(EXAMPLE.later)).description('Null before the first rotation.');

export const newSubscription = named('CreatedSubscription', object({ ...fields, secret_key: secretKey() }));

export const subscription = named('Subscription', object({ ...fields, secret_rotated_at: rotatedAt().example(null) }));

export const rotatedSecret = named(
  'RotatedSecret',
  object({
    id: id(EXAMPLE.subscriptionId),
    secret_key: secretKey(),
    secret_rotated_at: timestamp(EXAMPLE.later),
  }),
);

export const subscriptionConflict = named(
  'SubscriptionConflict',
  object({
    subscription_id: id(EXAMPLE.subscriptionId).description(
      'The active subscription with this URL, these types and these venues.',
    ),
  }),
);

type SubscriptionsQuery = PageQuery & { partner_id?: string; status?: 'active' | 'inactive' };

export const subscriptionsQuery = Joi.object<SubscriptionsQuery>({
  partner_id: uuid().description("Only this partner's."),
  status: Joi.string().valid('active', 'inactive'),
  limit: pageLimit(),
  cursor: cursor(),
});

export const operatorSubscription = named(
  'PartnerSubscription',
  subscription.keys({
    partner_id: id(EXAMPLE.partnerId).required(),
    consecutive_failures: count(0)
      .required()
      .description('Failed attempts since the last success, of all deliveries together.'),
    last_success_at: orNull(timestamp(EXAMPLE.later)).required().example(EXAMPLE.later),
    last_failure_at: orNull(timestamp()).required().example(null),
  }),
);

export const operatorSubscriptionPage = pageOf(operatorSubscription);

export const anySubscriptionIdParam = pathId('`id` of a subscription as listed.', EXAMPLE.subscriptionId);
