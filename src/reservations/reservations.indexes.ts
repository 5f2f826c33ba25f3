import type { CollectionDefinition } from '../platform/ensure-collection.ts';
import { RESERVATION_EVENT_TYPES } from './event-types.ts';
import type { Reservation } from './reservations.model.ts';
import { RESERVATION_STATUSES } from './reservations.rules.ts';

/** The only guard against double booking: no two claimed reservations fill the same cell (ADR 0002). */
export const GUARD_INDEX = 'one_claim_per_cell';

/** The only guard of the limit of holds: no two ACTIVE holds of a partner have the same ordinal (ADR 0002). */
export const ORDINAL_INDEX = 'one_hold_per_ordinal';

/** The only guard of idempotency keys: a partner's key places one hold. */
export const HOLD_KEY_INDEX = 'hold_key_of_partner';

const STRING = { bsonType: 'string' };
const DATE = { bsonType: 'date' };

/** The indexes of bookings leave holds out. */
const BOOKINGS = { partialFilterExpression: { bookedAt: { $exists: true } } };

export const RESERVATIONS: CollectionDefinition<Reservation> = {
  name: 'reservations',
  jsonSchema: {
    bsonType: 'object',
    required: [
      'partnerId',
      'venueId',
      'resourceId',
      'slotId',
      'slotStart',
      'slotEnd',
      'cells',
      'claimed',
      'status',
      'pricePaise',
      'placedAt',
      'holdExpiresAt',
      'outbox',
    ],
    properties: {
      partnerId: STRING,
      venueId: STRING,
      resourceId: STRING,
      slotId: STRING,
      slotStart: DATE,
      slotEnd: DATE,
      cells: { bsonType: 'array', minItems: 1, items: STRING },
      claimed: { bsonType: 'bool' },
      status: { enum: [...RESERVATION_STATUSES] },
      pricePaise: { bsonType: ['int', 'long', 'double'], minimum: 0 },
      placedAt: DATE,
      holdExpiresAt: DATE,
      holdOrdinal: { bsonType: 'int', minimum: 0 },
      orderReference: STRING,
      metadata: { bsonType: 'object' },
      bookingId: STRING,
      bookedAt: DATE,
      outbox: {
        bsonType: 'array',
        items: {
          bsonType: 'object',
          required: ['eventId', 'type', 'at', 'originatorId'],
          properties: {
            type: { enum: [...RESERVATION_EVENT_TYPES] },
            at: DATE,
            venueId: STRING,
            resourceId: STRING,
            slotId: STRING,
            slotStart: DATE,
            slotEnd: DATE,
            pricePaise: { bsonType: ['int', 'long', 'double'] },
            holdId: STRING,
          },
        },
      },
    },
    // Live holds and BOOKED bookings claim their slot; nothing else does.
    oneOf: [
      { properties: { status: { enum: ['ACTIVE', 'BOOKED'] }, claimed: { enum: [true] } } },
      {
        properties: {
          status: { enum: ['RELEASED', 'EXPIRED', 'DISPLACED', 'CANCELLED', 'REFUNDED'] },
          claimed: { enum: [false] },
        },
      },
    ],
  },
  indexes: [
    { name: GUARD_INDEX, key: { cells: 1 }, unique: true, partialFilterExpression: { claimed: true } },
    {
      name: HOLD_KEY_INDEX,
      key: { partnerId: 1, holdKey: 1 },
      unique: true,
      partialFilterExpression: { holdKey: { $exists: true } },
    },
    {
      // Only of ACTIVE holds: the write that ends a hold frees its ordinal.
      name: ORDINAL_INDEX,
      key: { partnerId: 1, holdOrdinal: 1 },
      unique: true,
      partialFilterExpression: { status: 'ACTIVE', holdOrdinal: { $exists: true } },
    },
    {
      name: 'confirm_key_of_partner',
      key: { partnerId: 1, confirmKey: 1 },
      unique: true,
      partialFilterExpression: { confirmKey: { $exists: true } },
    },
    {
      name: 'ending_key_of_partner',
      key: { partnerId: 1, 'endings.key': 1 },
      unique: true,
      partialFilterExpression: { 'endings.key': { $exists: true } },
    },
    {
      name: 'ending_key_of_operators',
      key: { 'operatorEndings.key': 1 },
      unique: true,
      partialFilterExpression: { 'operatorEndings.key': { $exists: true } },
    },
    {
      name: 'booking_by_id',
      key: { bookingId: 1 },
      unique: true,
      partialFilterExpression: { bookingId: { $exists: true } },
    },
    { name: 'bookings_of_partner', key: { partnerId: 1, bookedAt: -1, bookingId: -1 }, ...BOOKINGS },
    {
      name: 'bookings_of_payment',
      key: { paymentReference: 1, partnerId: 1, bookedAt: -1, bookingId: -1 },
      ...BOOKINGS,
    },
    {
      name: 'bookings_of_order',
      key: { orderReference: 1, partnerId: 1, bookedAt: -1, bookingId: -1 },
      partialFilterExpression: { orderReference: { $exists: true }, bookedAt: { $exists: true } },
    },
    { name: 'bookings_newest', key: { bookedAt: -1, bookingId: -1 }, ...BOOKINGS },
    { name: 'bookings_of_phone', key: { 'customer.phoneE164': 1, bookedAt: -1 }, ...BOOKINGS },
    {
      name: 'bookings_of_customer',
      key: { partnerId: 1, 'customer.phoneE164': 1, bookedAt: -1 },
      ...BOOKINGS,
    },
    { name: 'bookings_of_name_word', key: { 'customer.nameWords': 1, bookedAt: -1 }, ...BOOKINGS },
    { name: 'bookings_of_phone_end', key: { 'customer.phoneReversed': 1, bookedAt: -1 }, ...BOOKINGS },
    { name: 'bookings_by_day_of_play', key: { slotStart: 1 }, ...BOOKINGS },
    { name: 'bookings_of_partner_by_day_of_play', key: { partnerId: 1, slotStart: 1 }, ...BOOKINGS },
    { name: 'holds_of_partner', key: { partnerId: 1, placedAt: -1, _id: -1 } },
    { name: 'active_holds', key: { holdExpiresAt: 1 }, partialFilterExpression: { status: 'ACTIVE' } },
    {
      // A hold enters it when it ends, so that placing and confirming do not pay for it.
      name: 'ended_holds',
      key: { holdExpiresAt: 1 },
      partialFilterExpression: { status: { $in: ['RELEASED', 'EXPIRED', 'DISPLACED'] } },
    },
    {
      name: 'active_holds_of_partner',
      key: { partnerId: 1, holdExpiresAt: 1 },
      partialFilterExpression: { status: 'ACTIVE' },
    },
    {
      name: 'claims_of_venue',
      key: { venueId: 1, slotStart: 1 },
      partialFilterExpression: { claimed: true },
    },
    {
      name: 'claims_of_resource',
      key: { resourceId: 1, slotEnd: 1 },
      partialFilterExpression: { claimed: true },
    },
    {
      name: 'undispatched',
      key: { outboxSince: 1 },
      partialFilterExpression: { outboxSince: { $exists: true } },
    },
  ],
};
