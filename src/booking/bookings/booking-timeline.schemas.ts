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
      .description('service: done by the service itself, such as the lapse of a hold.')
      .example('api_key'),
    partner_id: orNull(id(EXAMPLE.partnerId)).description('Whose key it was.').example(EXAMPLE.partnerId),
    key_id: orNull(id(EXAMPLE.keyId)).example(EXAMPLE.keyId),
  }),
);

export const timelineEntry = named(
  'TimelineEntry',
  object({
    event_id: id(EXAMPLE.eventId),
    event_type: eventType(),
    at: timestamp(),
    partner_id: id(EXAMPLE.partnerId).description('In whose name it was done, as partners see it.'),
    actor: orNull(actor).description('Who did it; null where an older release did not write that down.'),
    request_id: orNull(Joi.string())
      .description('X-Request-Id of the call that made it; null where the service did it by itself.')
      .example(EXAMPLE.requestId),
    reason: Joi.string().allow(null).example(null),
    deliveries: Joi.array()
      .items(operatorDelivery)
      .description('To whom it was sent, with every attempt; empty before the event is dispatched.'),
  }),
);
