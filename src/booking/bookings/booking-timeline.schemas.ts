import Joi from 'joi';
import { eventType } from '../../events/events.schemas.ts';
import { EXAMPLE } from '../../http/example-values.ts';
import { id, named, object, orNull, timestamp } from '../../http/response-fields.ts';
import { operatorDelivery } from '../../webhooks/deliveries/operator-deliveries.schemas.ts';

const actor = named(
  'Actor',
  object({
    kind: Joi.string()
      .valid('api_key', 'operator', 'service')
      .description('service: the service itself, for example when a hold expires.')
      .example('api_key'),
    partner_id: orNull(id(EXAMPLE.partnerId)).description('The owner of the key.').example(EXAMPLE.partnerId),
    key_id: orNull(id(EXAMPLE.keyId)).example(EXAMPLE.keyId),
  }),
);

export const timelineEntry = named(
  'TimelineEntry',
  object({
    event_id: id(EXAMPLE.eventId),
    event_type: eventType(),
    at: timestamp(),
    partner_id: id(EXAMPLE.partnerId).description('The partner in whose name the change was made.'),
    actor: orNull(actor).description('Who made the change; null in events of older releases.'),
    request_id: orNull(Joi.string())
      .description('X-Request-Id of the call that made the change; null if the service made it.')
      .example(EXAMPLE.requestId),
    reason: Joi.string().allow(null).example(null),
    deliveries: Joi.array()
      .items(operatorDelivery)
      .description('Its deliveries with every attempt; empty before the event is dispatched.'),
  }),
);
