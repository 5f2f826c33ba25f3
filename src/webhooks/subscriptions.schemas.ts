import Joi from 'joi';
import type { EventType } from '../events/event-types.ts';
import { EVENT_TYPES } from '../events/event-types.ts';
import { eventType } from '../events/events.schemas.ts';
import { id, named, orNull, shape, timestamp } from '../http/answer-fields.ts';
import { EXAMPLE } from '../http/example-values.ts';
import { pathId } from '../http/fields.ts';
import { endpointFormFault } from './endpoint-url.ts';

export type CreateBody = { endpoint_url: string; event_types: EventType[] };

const ENDPOINT = 'https://partner.example.com/webhooks/bookings';

export const createBody = (allowPrivateNetworks: boolean) =>
  Joi.object<CreateBody>({
    endpoint_url: Joi.string()
      .custom((value: string, helpers) => {
        const fault = endpointFormFault(value, { allowPrivateNetworks });
        return fault === null ? value : helpers.message({ custom: fault });
      })
      .required()
      .description(
        'An absolute https URL of a public host, without user name, password and fragment. Redirects are not followed.',
      )
      .meta({
        jsonSchema: {
          format: 'uri',
          maxLength: 2048,
          pattern: allowPrivateNetworks ? '^[Hh][Tt][Tt][Pp][Ss]?:' : '^[Hh][Tt][Tt][Pp][Ss]:',
        },
      })
      .example(ENDPOINT),
    event_types: Joi.array()
      .items(Joi.string().valid(...EVENT_TYPES))
      .min(1)
      .max(50)
      .required()
      .description('The types of events to be told of; a type named twice counts once.')
      .example(['booking_created', 'booking_cancelled', 'hold_expired']),
  }).required();

export const subscriptionIdParam = pathId('`id` of one of your subscriptions.', EXAMPLE.subscriptionId);

export const endpointUrl = () => Joi.string().example(ENDPOINT);

const secretKey = () =>
  Joi.string()
    .description(
      'Shown this once; verify deliveries with it. The whole string, prefix included, is the HMAC key.',
    )
    .meta({ jsonSchema: { pattern: '^whsec_[A-Za-z0-9_-]{43}$' } })
    .example('whsec_c2FtcGxlLXNlY3JldC1vZi1leGFjdGx5LTMyLWJ5dGU');

const fields = {
  id: id(EXAMPLE.subscriptionId),
  endpoint_url: endpointUrl(),
  event_types: Joi.array()
    .items(eventType())
    .example(['booking_created', 'booking_cancelled', 'hold_expired']),
  status: Joi.string().valid('active', 'inactive').example('active'),
  created_at: timestamp(),
};

const rotatedAt = () =>
  orNull(timestamp(EXAMPLE.later)).description('Null where the secret is the first one.');

export const newSubscription = named('NewSubscription', shape({ ...fields, secret_key: secretKey() }));

export const subscription = named(
  'Subscription',
  shape({ ...fields, secret_rotated_at: rotatedAt().example(null) }),
);

export const rotatedSecret = named(
  'RotatedSecret',
  shape({
    id: id(EXAMPLE.subscriptionId),
    secret_key: secretKey(),
    secret_rotated_at: timestamp(EXAMPLE.later),
  }),
);
