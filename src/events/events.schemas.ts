import type { ObjectSchema } from 'joi';
import Joi from 'joi';
import { EXAMPLE } from '../http/example-values.ts';
import { instant, pageLimit, uuid } from '../http/fields.ts';
import {
  amount,
  attachedIfGiven,
  growing,
  id,
  listOf,
  named,
  object,
  orNull,
  resourceId,
  slotId,
  timestamp,
} from '../http/response-fields.ts';
import { EVENT_TYPES, type EventType, isOfBooking } from '../reservations/event-types.ts';
import { isFeedCursor, NOT_A_FEED_CURSOR } from './feed-cursor.rules.ts';

const reason = (of: string) =>
  Joi.string().description(`${of}. Only for the partner that made the change.`).example('Rain: the turf is closed.');

const window = {
  resource_id: resourceId(),
  slot_start: timestamp(EXAMPLE.slotStart),
  slot_end: timestamp(EXAMPLE.slotEnd),
  price_rupees: amount().description('In rupees. Only for the partner that made the change.').optional(),
  ...attachedIfGiven,
  test: Joi.boolean().valid(true).description('Only in a sample that you requested: nothing has changed.').optional(),
};

const DETAILS: Record<EventType, ObjectSchema> = {
  hold_created: object({ ...window, hold_expiry_at: timestamp(EXAMPLE.holdExpiry) }),
  hold_cancelled: object({ ...window, reason: reason('Why the hold was released, if a reason was given').optional() }),
  hold_expired: object(window),
  booking_created: object(window),
  booking_cancelled: object({ ...window, reason: reason('Why the booking was cancelled').optional() }),
  booking_refunded: object({ ...window, reason: reason('Why the booking was refunded').optional() }),
};

/** The body of an event of this type, without `delivery_id`. */
export const eventOf = (type: EventType): ObjectSchema =>
  object({
    event_id: id(EXAMPLE.eventId).description('The same in every delivery of this change.'),
    event_type: Joi.string().valid(type).example(type),
    timestamp: timestamp().description('When the change happened.'),
    venue_id: id(EXAMPLE.venueId),
    slot_id: slotId(),
    hold_id: id(EXAMPLE.holdId),
    booking_id: isOfBooking(type)
      ? id(EXAMPLE.bookingId)
      : orNull(id(EXAMPLE.bookingId)).description('Null: there is no booking yet.').example(null),
    partner_id: id(EXAMPLE.partnerId).description(
      'Who made the change: you, another partner, or 00000000-0000-7000-8000-000000000000 for the venue.',
    ),
    details: DETAILS[type].description('Ignore unknown fields: more may be added.'),
  });

export const event = named(
  'Event',
  object({
    event_id: id(EXAMPLE.eventId),
    event_type: growing(eventType()),
    timestamp: timestamp(),
    venue_id: id(EXAMPLE.venueId),
    slot_id: slotId(),
    hold_id: id(EXAMPLE.holdId),
    booking_id: orNull(id(EXAMPLE.bookingId)).description('Null in the events of a hold.').example(null),
    partner_id: id(EXAMPLE.partnerId),
    details: object({
      ...window,
      hold_expiry_at: timestamp(EXAMPLE.holdExpiry).description('In hold_created.').optional(),
      reason: reason('The reason, if one was given').optional(),
    }).example({
      resource_id: EXAMPLE.resourceId,
      slot_start: EXAMPLE.slotStart,
      slot_end: EXAMPLE.slotEnd,
      price_rupees: EXAMPLE.priceRupees,
      hold_expiry_at: EXAMPLE.holdExpiry,
    }),
  }),
);

const CURSOR_EXAMPLE = 'v2.5b1f0c9e.mKQ3rV0e2sW8yTzL4nPcXgA7dHjB1uFi9oQkNvE6xRbSaMhZt5wJqUyD0lY';

export type FeedQuery = {
  after?: string;
  since?: Date;
  event_type?: EventType;
  venue_id?: string;
  limit: number;
};

export const feedQuery = Joi.object<FeedQuery>({
  after: Joi.string()
    .custom((value: string, helpers) => (isFeedCursor(value) ? value : helpers.error('string.cursor')))
    .messages({ 'string.cursor': NOT_A_FEED_CURSOR })
    .meta({ jsonSchema: { pattern: '^[A-Za-z0-9._-]+$' } })
    .description('The next_cursor of an earlier response. Omit it to read from the beginning.')
    .example(CURSOR_EXAMPLE),
  since: instant()
    .description(
      'Only events from this instant on. Use it to start, then continue with next_cursor. A future instant returns the cursor of the end.',
    )
    .example(EXAMPLE.now),
  event_type: eventType().description('Only events of this type.'),
  venue_id: uuid().description('Only events at this venue.'),
  limit: pageLimit(),
});

export const feedPage = listOf(event).keys({
  next_cursor: Joi.string()
    .required()
    .description('Pass it as `after`. At the end it stays valid and finds every later event.')
    .example(CURSOR_EXAMPLE),
});

export function eventType() {
  return Joi.string()
    .valid(...EVENT_TYPES)
    .example('hold_created');
}
