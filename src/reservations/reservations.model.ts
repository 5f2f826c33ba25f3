import type { CollectionDefinition } from '../platform/ensure-collection.ts';
import type { Db } from '../platform/mongo.ts';
import { openCollection } from '../platform/mongo.ts';
import type { RecordedActor } from './actor-types.ts';
import type { EventType } from './event-types.ts';
import { EVENT_TYPES } from './event-types.ts';
import type { ReservationStatus } from './reservations.rules.ts';
import { RESERVATION_STATUSES } from './reservations.rules.ts';

/** What an event says of the slot and the hold: as they were when it happened, whatever becomes of the reservation. */
export type EventSubject = Pick<
  Reservation,
  'venueId' | 'resourceId' | 'slotId' | 'slotStart' | 'slotEnd' | 'pricePaise'
> & { holdId: string };

/** What a partner keeps with its hold or booking for itself: shown to it alone, and read by nothing here. */
export type Attached = { orderReference?: string; metadata?: Record<string, string> };

/**
 * An event that waits inside its reservation until webhook delivery has written it to the event log (ADR 0009). Its subject is
 * absent in what older releases wrote (ADR 0009).
 */
export type OutboxEvent = Partial<EventSubject> & {
  eventId: string;
  type: EventType;
  at: Date;
  /** The partner that made the change. */
  originatorId: string;
  /** Who made it, more exactly than partners may see. Absent in what older releases wrote. */
  actor?: RecordedActor;
  bookingId: string | null;
  /** Only in `hold_created`. */
  holdExpiresAt?: Date;
  reason?: string;
  /** As it was when it happened, and whose it is. Absent where nothing was attached. */
  attached?: Attached & { partnerId: string };
};

/**
 * `phoneE164`, `nameFolded`, `nameWords` and `phoneReversed` are what searches match; the rest is stored as given.
 */
export type Customer = {
  name: string | null;
  nameFolded: string | null;
  phone: string | null;
  phoneE164: string | null;
  email: string | null;
  nameWords: string[];
  phoneReversed: string | null;
};

/** An idempotency key of the namespace that cancels and refunds share. */
export type EndingKey = { key: string; operation: 'cancel' | 'refund' };

/** One reservation, from hold to refund (ADR 0001). `_id` is the hold_id. */
export type Reservation = Attached & {
  _id: string;
  partnerId: string;
  venueId: string;
  resourceId: string;
  slotId: string;
  slotStart: Date;
  slotEnd: Date;
  /** The space × 5-minute steps that it fills; unique over all claimed reservations (ADR 0002). */
  cells: string[];
  claimed: boolean;
  status: ReservationStatus;
  pricePaise: number;
  placedAt: Date;
  holdExpiresAt: Date;
  /** As placed, in milliseconds: for a replay of placing, whatever became of the expiry since. Absent in a walk-in. */
  ttlMs?: number;
  holdKey?: string;
  /** What was attached on placing, where the confirm attached something else. */
  placedWith?: Attached;
  /** Below MAX_ACTIVE_HOLDS, and unique among the partner's ACTIVE holds (ADR 0002). Absent in a walk-in. */
  holdOrdinal?: number;
  releasedAt?: Date;
  releaseReason?: string;
  expiredAt?: Date;
  bookingId?: string;
  bookedAt?: Date;
  confirmKey?: string;
  paymentReference?: string | null;
  customer?: Customer;
  /** Of a walk-in in the sandbox: the partner that had the other channel play it. */
  playedFor?: string;
  /** Whether the confirm asked for package credit. */
  packageCreditRequested?: boolean;
  /** The purchase whose credit was consumed. */
  packagePurchaseId?: string;
  cancelledAt?: Date;
  cancellationReason?: string;
  refundedAt?: Date;
  refundReason?: string;
  endings?: EndingKey[];
  /** The same of operators, whose keys are a namespace of their own: the partner's keys mean nothing to them, nor theirs to it. */
  operatorEndings?: EndingKey[];
  outbox: OutboxEvent[];
  /** Since when the outbox is not empty; absent while it is. */
  outboxSince?: Date;
};

/** A booking as it is read in order to be shown. */
export type ShownBooking = Omit<Reservation, 'cells' | 'outbox' | 'endings' | 'operatorEndings'>;

/** The waiting events of a reservation, and what those of older releases take from it. */
export type Outbox = Pick<Reservation, '_id' | 'outbox' | Exclude<keyof EventSubject, 'holdId'>>;

/** What a claim takes, and until when; never whose it is. */
export type ClaimedWindow = Pick<
  Reservation,
  '_id' | 'venueId' | 'resourceId' | 'slotStart' | 'slotEnd' | 'status' | 'holdExpiresAt'
> & {
  /** The cells of space that its resource shares with others. Its own are those of its window, which nobody needs to be told. */
  sharedCells: string[];
};

export const reservationCollection = (db: Db) => openCollection<Reservation>(db, 'reservations');

/** The one guard against double booking: no two claimed reservations fill the same cell (ADR 0002). */
export const GUARD_INDEX = 'one_claim_per_cell';

/** The one guard of the limit of holds: no two ACTIVE holds of a partner have the same ordinal (ADR 0002). */
export const ORDINAL_INDEX = 'one_hold_per_ordinal';

/** The one guard of idempotency keys: a partner's key places one hold. */
export const HOLD_KEY_INDEX = 'hold_key_of_partner';

export const RESERVATIONS: CollectionDefinition = {
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
      partnerId: { bsonType: 'string' },
      venueId: { bsonType: 'string' },
      resourceId: { bsonType: 'string' },
      slotId: { bsonType: 'string' },
      slotStart: { bsonType: 'date' },
      slotEnd: { bsonType: 'date' },
      cells: { bsonType: 'array', minItems: 1, items: { bsonType: 'string' } },
      claimed: { bsonType: 'bool' },
      status: { enum: [...RESERVATION_STATUSES] },
      pricePaise: { bsonType: ['int', 'long', 'double'], minimum: 0 },
      placedAt: { bsonType: 'date' },
      holdExpiresAt: { bsonType: 'date' },
      holdOrdinal: { bsonType: 'int', minimum: 0 },
      orderReference: { bsonType: 'string' },
      metadata: { bsonType: 'object' },
      bookingId: { bsonType: 'string' },
      bookedAt: { bsonType: 'date' },
      outbox: {
        bsonType: 'array',
        items: {
          bsonType: 'object',
          required: ['eventId', 'type', 'at', 'originatorId'],
          properties: {
            type: { enum: [...EVENT_TYPES] },
            at: { bsonType: 'date' },
            venueId: { bsonType: 'string' },
            resourceId: { bsonType: 'string' },
            slotId: { bsonType: 'string' },
            slotStart: { bsonType: 'date' },
            slotEnd: { bsonType: 'date' },
            pricePaise: { bsonType: ['int', 'long', 'double'] },
            holdId: { bsonType: 'string' },
          },
        },
      },
    },
    // Only a hold that is alive or a booking that is BOOKED may claim its slot, and both always do.
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
      // Of a hold that ends, in whatever way, the ordinal is free with the same write: the index is of ACTIVE ones alone.
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
    {
      name: 'bookings_of_partner',
      key: { partnerId: 1, bookedAt: -1, bookingId: -1 },
      partialFilterExpression: { bookedAt: { $exists: true } },
    },
    {
      name: 'bookings_of_payment',
      key: { paymentReference: 1, partnerId: 1, bookedAt: -1, bookingId: -1 },
      partialFilterExpression: { bookedAt: { $exists: true } },
    },
    {
      name: 'bookings_of_order',
      key: { orderReference: 1, partnerId: 1, bookedAt: -1, bookingId: -1 },
      partialFilterExpression: { orderReference: { $exists: true }, bookedAt: { $exists: true } },
    },
    {
      name: 'bookings_newest',
      key: { bookedAt: -1, bookingId: -1 },
      partialFilterExpression: { bookedAt: { $exists: true } },
    },
    {
      name: 'bookings_of_phone',
      key: { 'customer.phoneE164': 1, bookedAt: -1 },
      partialFilterExpression: { bookedAt: { $exists: true } },
    },
    {
      name: 'bookings_of_customer',
      key: { partnerId: 1, 'customer.phoneE164': 1, bookedAt: -1 },
      partialFilterExpression: { bookedAt: { $exists: true } },
    },
    {
      name: 'bookings_of_name_word',
      key: { 'customer.nameWords': 1, bookedAt: -1 },
      partialFilterExpression: { bookedAt: { $exists: true } },
    },
    {
      name: 'bookings_of_phone_end',
      key: { 'customer.phoneReversed': 1, bookedAt: -1 },
      partialFilterExpression: { bookedAt: { $exists: true } },
    },
    {
      name: 'bookings_by_day_of_play',
      key: { slotStart: 1 },
      partialFilterExpression: { bookedAt: { $exists: true } },
    },
    {
      name: 'bookings_of_partner_by_day_of_play',
      key: { partnerId: 1, slotStart: 1 },
      partialFilterExpression: { bookedAt: { $exists: true } },
    },
    { name: 'holds_of_partner', key: { partnerId: 1, placedAt: -1, _id: -1 } },
    {
      name: 'active_holds',
      key: { holdExpiresAt: 1 },
      partialFilterExpression: { status: 'ACTIVE' },
    },
    {
      // A hold enters it as it ends: neither placing nor confirming one pays for it.
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
