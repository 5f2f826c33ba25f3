import Joi from 'joi';
import { eventType } from '../../events/events.schemas.ts';
import { EXAMPLE } from '../../http/example-values.ts';
import { cursor, instant, instantNotAfter, type PageQuery, pageLimit, pathId, prose, uuid } from '../../http/fields.ts';
import { REQUEST_ID } from '../../http/request-facts.ts';
import { count, id, named, object, orNull, pageOf } from '../../http/response-fields.ts';
import type { EventType } from '../../reservations/event-types.ts';
import { DELIVERY_STATES, type DeliveryState } from './deliveries.model.ts';
import { delivery } from './deliveries.schemas.ts';

const page = { limit: pageLimit(), cursor: cursor() };
const ofSubscription = () => uuid().description('Only deliveries to this subscription.');

export const deadLetterIdParam = pathId(
  '`id` of a dead letter as listed, or the X-Delivery-Id of one of its attempts.',
  EXAMPLE.deliveryId,
);
export const anyDeliveryIdParam = pathId(
  '`id` of a delivery as listed, or the X-Delivery-Id of one of its attempts.',
  EXAMPLE.deliveryId,
);

export const operatorDelivery = named(
  'PartnerDelivery',
  delivery.keys({
    partner_id: id(EXAMPLE.partnerId).description('The partner that receives it.').required(),
    request_id: orNull(Joi.string())
      .description('X-Request-Id of the call that made the event; null if the service made it.')
      .example(EXAMPLE.requestId),
    discard_reason: Joi.string()
      .optional()
      .description('Present only in a discarded delivery.')
      .example('The grant has ended'),
  }),
);

export const deliveryPage = pageOf(operatorDelivery);

type DeadLettersQuery = PageQuery & {
  partner_id?: string;
  subscription_id?: string;
  event_type?: EventType;
};

const deliveryFilters = {
  partner_id: uuid().description("Only this partner's."),
  subscription_id: ofSubscription(),
  event_type: eventType().description('Only events of this type.'),
};

export const deadLettersQuery = Joi.object<DeadLettersQuery>({ ...deliveryFilters, ...page });

export type DeliveriesQuery = DeadLettersQuery & {
  status?: DeliveryState;
  request_id?: string;
};

export const deliveriesQuery = Joi.object<DeliveriesQuery>({
  ...deliveryFilters,
  status: Joi.string().valid(...DELIVERY_STATES),
  request_id: Joi.string()
    .pattern(REQUEST_ID)
    .messages({ 'string.pattern.base': 'must be an X-Request-Id: 1 to 128 characters A-Z a-z 0-9 . _ -' })
    .description(
      'Only deliveries of events made by calls with this X-Request-Id. If there are more than 1,000 such events, only of the newest 1,000.',
    ),
  ...page,
});

type RedeliverBody = { subscription_id?: string; event_type?: EventType; from?: Date; to?: Date };

const deadLetterFilters = {
  subscription_id: ofSubscription().example(EXAMPLE.subscriptionId),
  event_type: eventType().description('Only events of this type.').example('booking_created'),
  from: instantNotAfter('to')
    .description('Only deliveries that became dead letters at this instant or later.')
    .example(EXAMPLE.now),
  to: instant()
    .description('Only deliveries that became dead letters up to this instant, included. Default: now.')
    .example(EXAMPLE.later),
};

export const redeliverBody = Joi.object<RedeliverBody>(deadLetterFilters).required();

type DiscardBody = { reason: string };

const discardReason = () =>
  prose(500)
    .required()
    .description('The reason. Operators see it; do not write personal data in it.')
    .example('The partner no longer has a grant for the venue.');

export const discardBody = Joi.object<DiscardBody>({ reason: discardReason() }).required();

export const discardManyBody = Joi.object<RedeliverBody & DiscardBody>({
  ...deadLetterFilters,
  reason: discardReason(),
})
  .or(...Object.keys(deadLetterFilters))
  .required()
  .messages({
    'object.missing': 'is required if no other field selects dead letters: send at least one of the four',
  })
  .description('Requires the reason and at least one other field.');

export const discarded = object({
  discarded: count(12).description('How many dead letters were discarded.'),
});

export const redriven = object({
  redriven: count(12).description('How many deliveries start a new series.'),
});
