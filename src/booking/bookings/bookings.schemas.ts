import Joi from 'joi';
import { EXAMPLE } from '../../http/example-values.ts';
import { instant, opaque, pathId, prose, text, uuid } from '../../http/fields.ts';
import { customerPhone, idempotencyKey, metadata, orderReference } from '../../http/order-fields.ts';
import * as response from '../../http/response-fields.ts';
import type { SnakeCased } from '../../platform/objects.ts';
import type { ConfirmBooking } from './confirm-booking.service.ts';
import type { PlaceWalkIn } from './walk-ins.service.ts';

type ConfirmBody = SnakeCased<ConfirmBooking>;

export const confirmBody = (region: string) =>
  Joi.object<ConfirmBody>({
    hold_id: opaque(100)
      .meta({ jsonSchema: { format: 'uuid' } })
      .custom((holdId: string) => holdId.toLowerCase())
      .required()
      .description('One of your ACTIVE holds.')
      .example(EXAMPLE.holdId),
    payment_reference: opaque(255)
      .required()
      .description('Your payment reference. Stored as given; no money is moved.')
      .example('pay_QxT4e9Lk2m'),
    customer_name: text(120).required().example('Asha Rao'),
    customer_phone: customerPhone(region).required(),
    customer_email: Joi.string().email({ tlds: false }).max(254).example('asha.rao@example.com'),
    // Described as a boolean: generated clients in Go, Java and Python do not compile with a field of two types.
    use_package_credit: Joi.boolean()
      .allow('required')
      .default(false)
      .description(
        'true consumes a credit of the customer\'s active purchase at the venue, if there is one. "required" confirms only with a credit: without one, 409 NO_PACKAGE_CREDIT and the hold stays.',
      ),
    idempotency_key: idempotencyKey().required(),
    order_reference: orderReference().description(
      'Replaces the order_reference of the hold. If omitted, that one stays.',
    ),
    metadata: metadata().description('Replaces all metadata of the hold. If omitted, that metadata stays.'),
  }).required();

export const BOOKING_STATUSES = ['BOOKED', 'CANCELLED', 'REFUNDED'] as const;

type EndBody = { reason: string; idempotency_key: string };

export const endBody = Joi.object<EndBody>({
  reason: prose(500).required().description('Stored with the booking.').example('Rain: the turf is closed.'),
  idempotency_key: idempotencyKey().required().example('cancel-2026-000731'),
})
  .pattern(
    /^amount/i,
    Joi.forbidden().messages({
      'any.unknown':
        'is not allowed: a cancel or refund applies to the whole booking and moves no money. Omit the field.',
    }),
  )
  .description('Applies to the whole booking and moves no money: a field that begins with `amount` is rejected.')
  .required();

export const bookingIdParam = pathId('`booking_id` as returned by confirm.', EXAMPLE.bookingId);

/** The booking as it was confirmed, so that a replay is equal (contract: idempotency/same-key-same-response). */
export const confirmation = response.named(
  'Confirmation',
  response.object({
    booking_id: response.id(EXAMPLE.bookingId),
    slot_id: response.slotId(),
    status: Joi.string().valid('BOOKED').example('BOOKED'),
    booked_at: response.timestamp(EXAMPLE.now),
    price_rupees: response.amount(),
    package_credit_consumed: Joi.boolean()
      .valid(true)
      .description('Present only if a credit was requested and consumed.')
      .optional(),
    package_purchase_id: response
      .id(EXAMPLE.purchaseId)
      .description('The purchase from which the credit was taken.')
      .optional(),
  }),
);

const nullableText = (example: string | null) => Joi.string().allow(null).example(example);

export const booking = response.named(
  'Booking',
  response.object({
    booking_id: response.id(EXAMPLE.bookingId),
    hold_id: response.id(EXAMPLE.holdId),
    partner_id: response.id(EXAMPLE.partnerId),
    venue_id: response.id(EXAMPLE.venueId),
    resource_id: response.resourceId(),
    slot_id: response.slotId(),
    slot_start: response.timestamp(EXAMPLE.slotStart),
    slot_end: response.timestamp(EXAMPLE.slotEnd),
    status: Joi.string()
      .valid(...BOOKING_STATUSES)
      .example('BOOKED'),
    booked_at: response.timestamp(),
    price_rupees: response.amount(),
    payment_reference: nullableText('pay_QxT4e9Lk2m'),
    ...response.attached,
    customer_name: nullableText('Asha Rao'),
    customer_phone: nullableText('+919845012345').description('As given on confirm.'),
    customer_email: nullableText('asha.rao@example.com'),
    venue: response.object({
      venue_id: response.id(EXAMPLE.venueId),
      name: nullableText('Koramangala Arena'),
      city: nullableText('Bengaluru'),
    }),
    resource: response.object({
      resource_id: response.resourceId(),
      resource_type: nullableText('turf'),
      sport_category: nullableText('football'),
    }),
    cancelled_at: response.orNull(response.timestamp()).example(null),
    cancellation_reason: nullableText(null),
    refunded_at: response.orNull(response.timestamp()).example(null),
    refund_reason: nullableText(null),
    package_credit_consumed: Joi.boolean().description('Present only if confirm requested a credit.').optional(),
    package_purchase_id: response
      .id(EXAMPLE.purchaseId)
      .description('Present only if a credit was consumed.')
      .optional(),
  }),
);

export const bookingPage = response.pageOf(booking);

export const endedBooking = (message: string, status: 'CANCELLED' | 'REFUNDED') =>
  response.object({
    message: response.sentence(message),
    booking_id: response.id(EXAMPLE.bookingId),
    status: Joi.string().valid(status).example(status),
  });

type WalkInFields = 'slotId' | 'venueId' | 'slotStart' | 'sportCategory' | 'durationMinutes' | 'overrideHolds';
type WalkInBody = SnakeCased<Pick<PlaceWalkIn, WalkInFields>> & {
  customer_name?: string;
  customer_phone?: string;
};

export const walkInBody = (region: string) =>
  Joi.object<WalkInBody>({
    slot_id: opaque(250)
      .description('The slot. Or send venue_id, slot_start and sport_category for any free one.')
      .example(EXAMPLE.slotId),
    venue_id: uuid(),
    slot_start: instant(),
    sport_category: text(120).description('With venue_id and slot_start: the cheapest free resource of this sport.'),
    duration_minutes: Joi.number()
      .integer()
      .min(5)
      .max(1440)
      .description('With sport_category: the length of the slot.'),
    customer_name: text(120).example('Vikram Shetty'),
    customer_phone: customerPhone(region),
    override_holds: Joi.boolean()
      .default(false)
      .description('Takes the slot from conflicting holds; a booked slot is never taken.'),
  })
    .when(Joi.object({ sport_category: Joi.exist() }).unknown(), {
      // biome-ignore lint/suspicious/noThenProperty: the name is joi's.
      then: Joi.object({
        slot_id: Joi.forbidden().messages({ 'any.unknown': 'cannot be sent with sport_category: send one of them' }),
        venue_id: Joi.required(),
        slot_start: Joi.required(),
      }),
      otherwise: Joi.object({ slot_id: Joi.required() }),
    })
    .required();
