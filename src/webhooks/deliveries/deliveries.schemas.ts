import type { Schema } from 'joi';
import Joi from 'joi';
import { event, eventOf, eventType } from '../../events/events.schemas.ts';
import { EXAMPLE } from '../../http/example-values.ts';
import { instant, pathId } from '../../http/fields.ts';
import { exampleOf } from '../../http/openapi/json-schema.ts';
import type { WebhookDescription } from '../../http/openapi/webhooks.ts';
import { count, growing, id, named, object, orNull, timestamp } from '../../http/response-fields.ts';
import { parseInstant } from '../../platform/calendar.ts';
import { EVENT_TYPES, type EventType } from '../../reservations/event-types.ts';
import { DELIVERY_ERROR_DETAILS, DELIVERY_ERRORS } from '../sender/delivery-error.rules.ts';
import { endpointUrl } from '../subscriptions/subscriptions.schemas.ts';
import { DELIVERY_STATES } from './deliveries.model.ts';

export const deliveryIdParam = pathId(
  'The `id` of a delivery, or the X-Delivery-Id of one of its attempts.',
  EXAMPLE.deliveryId,
);

const attempt = named(
  'DeliveryAttempt',
  object({
    delivery_id: id(EXAMPLE.attemptId).description('X-Delivery-Id of this attempt.'),
    attempt: count(1).description('Counted from 1. An interrupted attempt is repeated under the same number.'),
    series: orNull(count(1)).description(
      'The series of attempts, counted from 1; each redelivery starts one. Null in attempts of older releases.',
    ),
    endpoint_url: endpointUrl()
      .allow(null)
      .description('Where this attempt was sent to. Null in attempts of older releases.'),
    sent_at: timestamp(EXAMPLE.later),
    status_code: Joi.number().integer().allow(null).description('Null without a response.').example(503),
    error: Joi.string()
      .allow(null)
      .valid(...DELIVERY_ERRORS, 'interrupted', 'subscription_changed')
      .description(
        'The stage that failed; null after a success. `interrupted`, and `subscription_changed` (URL, secret or status changed meanwhile), do not count as attempts.',
      )
      .example('http_status'),
    error_detail: orNull(growing(Joi.string().valid(...DELIVERY_ERROR_DETAILS)))
      .description('More about `error`, or null.')
      .example(null),
    redirect_to: Joi.string().allow(null).description('Scheme, host and port of the redirect target.').example(null),
    duration_ms: orNull(count(183)).example(183),
    response_excerpt: Joi.string()
      .allow(null, '')
      .description("The start of your endpoint's response, or null if it is not text.")
      .example('upstream unavailable'),
  }),
);

export const delivery = named(
  'Delivery',
  object({
    id: id(EXAMPLE.deliveryId),
    event_id: id(EXAMPLE.eventId),
    event_type: growing(eventType()),
    subscription_id: id(EXAMPLE.subscriptionId),
    endpoint_url: endpointUrl().allow(null),
    state: Joi.string()
      .valid(...DELIVERY_STATES)
      .description(
        'cancelled: before delivery, the subscription was deactivated, or you were suspended or lost the grant for the venue. discarded: the platform operator discarded the dead letter; you can still redeliver or recover it.',
      )
      .example('dead_letter'),
    attempts: Joi.array().items(attempt),
    next_attempt_at: orNull(timestamp()).example(null),
    dead_lettered_at: orNull(timestamp(EXAMPLE.later)).example(EXAMPLE.later),
    discarded_at: timestamp().optional().description('Present only in a discarded delivery.'),
    created_at: timestamp(),
    payload: orNull(event).description('The body that is sent, without `delivery_id`.'),
  }),
);

export const waitingDelivery = (details: Record<string, unknown> = {}): Record<string, unknown> => {
  const example = exampleOf(delivery) as { payload: { details: Record<string, unknown> } };
  const payload = { ...example.payload, details: { ...example.payload.details, ...details } };
  const waiting = { state: 'pending', attempts: [], next_attempt_at: EXAMPLE.now, dead_lettered_at: null };
  return { ...example, ...waiting, payload };
};

type TestBody = { event_type?: EventType };

export const testBody = Joi.object<TestBody>({
  event_type: eventType()
    .description('A subscribed type. Default: the first one.')
    .example('booking_created', { override: true }),
}).required();

type RecoverBody = { since: Date; until?: Date };

const MAX_RECOVERY_MS = 14 * 86_400_000;

export const recoverBody = (now: () => Date) =>
  Joi.object<RecoverBody>({
    since: instant()
      .custom((since: Date, helpers) => {
        const [{ until: sentUntil }] = helpers.state.ancestors as [Record<string, unknown>];
        const until = typeof sentUntil === 'string' ? parseInstant(sentUntil) : now();
        // An invalid `until` has its own message.
        if (until === undefined) return since;
        if (since > until) return helpers.error('date.order');
        return until.getTime() - since.getTime() > MAX_RECOVERY_MS ? helpers.error('date.span') : since;
      })
      .messages({
        'date.order': 'must not be after until or in the future. Send an earlier since.',
        'date.span': 'must be at most 14 days before until (default: now). Recover in several calls.',
      })
      .required()
      .description('The start of the period, at most 14 days before `until`.')
      .example(EXAMPLE.now),
    until: instant().description('The end of the period, included. Default: now.').example(EXAMPLE.later),
  }).required();

export const recovered = object({
  recovered: count(12).description('How many deliveries start.'),
});

const DESCRIPTIONS: Record<EventType, { summary: string; effect: string }> = {
  hold_created: { summary: 'A hold was placed', effect: 'The slot is held until details.hold_expiry_at.' },
  hold_cancelled: {
    summary: 'A hold was released before it expired',
    effect: 'The slot is free again, or the venue sold it despite the hold.',
  },
  hold_expired: { summary: 'A hold was not confirmed in time', effect: 'The slot is free again.' },
  booking_created: { summary: 'A hold was confirmed into a booking', effect: 'The slot is sold.' },
  booking_cancelled: { summary: 'A booking was cancelled', effect: 'The slot is free again.' },
  booking_refunded: {
    summary: 'A booking was refunded',
    effect: 'The slot is free now, unless a cancel freed it earlier. In that case, it may have been sold again.',
  },
  availability_changed: {
    summary: 'The rules of a venue changed',
    effect:
      'Availability already shows the change: read it again for details.resource_ids from details.from to details.to.',
  },
};

const DIGITS = '^[0-9]+$';
const SIGNATURE = '^sha256=[0-9a-f]{64}$';

const matching = (pattern: string, description: string, example: string) =>
  Joi.string().meta({ jsonSchema: { pattern } }).description(description).example(example);

const headersOf = (type: EventType): Record<string, Schema> => ({
  'X-Webhook-Event': Joi.string().valid(type).required().description('The type of the event.').example(type),
  'X-Delivery-Id': id(EXAMPLE.attemptId).required().description('Equal to delivery_id in the body.'),
  'X-Delivery-Attempt': matching(DIGITS, 'The number of the attempt, counted from 1.', '1').required(),
  'X-Service-Timestamp': matching(
    DIGITS,
    'When this attempt was sent, in Unix seconds. Reject the delivery if this time is more than 300 s from your clock.',
    '1795166112',
  ).required(),
  'X-Service-Signature': matching(
    SIGNATURE,
    '`sha256=` and the hex HMAC-SHA256 of `<X-Service-Timestamp>.<raw body>`, keyed with the secret_key of the subscription. Compare in constant time.',
    'sha256=7f83b1657ff1fc53b92dc18148a1d65dfc2d4b1fa3d677284addd200126d9069',
  ).required(),
  'webhook-id': id(EXAMPLE.eventId)
    .required()
    .description('Equal to event_id in the body. The three webhook- headers follow Standard Webhooks.'),
  'webhook-timestamp': matching(DIGITS, 'Equal to X-Service-Timestamp.', '1795166112').required(),
  'webhook-signature': matching(
    '^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)?$',
    '`v1,` and the base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<raw body>`, keyed with the base64-decoded part of secret_key after `whsec_`. During the overlap of a secret rotation, a space and the entry of the old secret follow.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ).required(),
  'X-Request-Id': Joi.string()
    .description('Only for your own changes: the X-Request-Id of the call that made the change.')
    .example(EXAMPLE.requestId),
  'X-Service-Signature-Previous': matching(
    SIGNATURE,
    'Only during the overlap of a secret rotation: the X-Service-Signature made with the old secret.',
    'sha256=1b4f0e9851971998e732078544c96b36c3d01cedf7caa332359d6f1d83567014',
  ),
});

export const WEBHOOKS: readonly WebhookDescription[] = EVENT_TYPES.map((type) => ({
  name: type,
  ...DESCRIPTIONS[type],
  headers: headersOf(type),
  body: named(
    `${type.replace(/(?:^|_)([a-z])/g, (_match, letter: string) => letter.toUpperCase())}Delivery`,
    eventOf(type).keys({
      delivery_id: id(EXAMPLE.attemptId).required().description('New in every attempt.'),
    }),
  ),
}));
