import type { ObjectSchema, Schema } from 'joi';
import Joi from 'joi';
import { CHANGE_REASONS } from '../catalog/changes/changes.model.ts';
import { PLATFORM_PARTNER_ID } from '../domain/change-origin.ts';
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
import { EVENT_TYPES, type EventType, isOfBooking, isOfVenue } from '../reservations/event-types.ts';
import { isFeedCursor, NOT_A_FEED_CURSOR } from './feed-cursor.rules.ts';

const reason = (meaning: string) =>
  Joi.string()
    .description(`${meaning}. Only for the partner that made the change.`)
    .example('Rain: the turf is closed.');

const test = Joi.boolean()
  .valid(true)
  .description('Only in a sample that you requested: nothing has changed.')
  .optional();

const slotDetails = {
  resource_id: resourceId(),
  slot_start: timestamp(EXAMPLE.slotStart),
  slot_end: timestamp(EXAMPLE.slotEnd),
  price_rupees: amount().description('In rupees. Only for the partner that made the change.').optional(),
  ...attachedIfGiven,
  resource_ids_affected: Joi.array()
    .items(resourceId())
    .description(
      'Every resource with slots that this change blocks or frees, including resource_id. Only if that resource shares space with others.',
    )
    .example(['koramangala-arena-full-turf', EXAMPLE.resourceId])
    .optional(),
  test,
};

/** The details of `availability_changed`. */
const change = {
  reason: growing(Joi.string().valid(...CHANGE_REASONS))
    .description(
      'What changed: `blackout`, `prices`, `schedule` (hours or slot length), `resource` (added, on or off sale, shared space), `venue` (on or off sale, time zone) or `grant` (your grant began or ended).',
    )
    .example('blackout'),
  resource_ids: orNull(Joi.array().items(resourceId()).example([EXAMPLE.resourceId])).description(
    'The resources that the change affects. Null: all resources of the venue.',
  ),
  from: orNull(timestamp(EXAMPLE.slotStart)).description(
    'Slots before this instant did not change. Null: no bound. Only blackouts and price rules have bounds.',
  ),
  to: orNull(timestamp(EXAMPLE.slotEnd)).description(
    'Slots of a day whose opening hours begin at or after this instant did not change. Null: no bound.',
  ),
};

const DETAILS: Record<EventType, ObjectSchema> = {
  hold_created: object({ ...slotDetails, hold_expiry_at: timestamp(EXAMPLE.holdExpiry) }),
  hold_cancelled: object({
    ...slotDetails,
    reason: reason('Why the hold was released, if a reason was given').optional(),
  }),
  hold_expired: object(slotDetails),
  booking_created: object(slotDetails),
  booking_cancelled: object({ ...slotDetails, reason: reason('Why the booking was cancelled').optional() }),
  booking_refunded: object({ ...slotDetails, reason: reason('Why the booking was refunded').optional() }),
  availability_changed: object({ ...change, test }),
};

const NO_SLOT = 'Null: the event is about the venue.';

/** The body of an event of this type, without `delivery_id`. */
export const eventOf = (type: EventType): ObjectSchema =>
  object({
    event_id: id(EXAMPLE.eventId).description('The same in every delivery of this change.'),
    event_type: Joi.string().valid(type).example(type),
    timestamp: timestamp().description('When the change happened.'),
    venue_id: id(EXAMPLE.venueId),
    slot_id: isOfVenue(type) ? orNull(Joi.string()).description(NO_SLOT).example(null) : slotId(),
    hold_id: isOfVenue(type) ? orNull(id(EXAMPLE.holdId)).description(NO_SLOT).example(null) : id(EXAMPLE.holdId),
    booking_id: isOfBooking(type)
      ? id(EXAMPLE.bookingId)
      : orNull(id(EXAMPLE.bookingId))
          .description(isOfVenue(type) ? NO_SLOT : 'Null: there is no booking yet.')
          .example(null),
    partner_id: id(isOfVenue(type) ? PLATFORM_PARTNER_ID : EXAMPLE.partnerId).description(
      'Who made the change: you, another partner, or 00000000-0000-7000-8000-000000000000 for the venue.',
    ),
    details: DETAILS[type].description('Ignore unknown fields: more may be added.'),
  });

const optional = (fields: Record<string, Schema>): Record<string, Schema> =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.optional()]));

export const event = named(
  'Event',
  object({
    event_id: id(EXAMPLE.eventId),
    event_type: growing(eventType()),
    timestamp: timestamp(),
    venue_id: id(EXAMPLE.venueId),
    slot_id: orNull(slotId()).description('Null in availability_changed.').example(EXAMPLE.slotId),
    hold_id: orNull(id(EXAMPLE.holdId)).description('Null in availability_changed.').example(EXAMPLE.holdId),
    booking_id: orNull(id(EXAMPLE.bookingId)).description('Null except in the events of a booking.').example(null),
    partner_id: id(EXAMPLE.partnerId),
    details: object({
      ...optional(slotDetails),
      ...optional({ resource_ids: change.resource_ids, from: change.from, to: change.to }),
      hold_expiry_at: timestamp(EXAMPLE.holdExpiry).description('In hold_created.').optional(),
      reason: Joi.string()
        .description(
          'In availability_changed: what changed. In other events: why, if a reason was given; only for the partner that made the change.',
        )
        .example('Rain: the turf is closed.')
        .optional(),
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

type FeedQuery = {
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
      "Only events from this instant on. Use it to start, then continue with next_cursor. A future instant returns only the cursor of the feed's end.",
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
