import type { Db } from '../platform/mongo.ts';
import {
  collectionOf,
  mixed,
  NULL_OR_ABSENT,
  NULLABLE,
  OPTIONAL,
  partOf,
  REQUIRED,
  type RowOf,
  schemaOf,
} from '../platform/mongo-schema.ts';
import type { RecordedActor } from './actor-types.ts';
import { RESERVATION_EVENT_TYPES } from './event-types.ts';
import { RESERVATION_STATUSES } from './reservations.rules.ts';

/** A partner's attachments to its hold or booking: shown only to that partner, not interpreted. */
export type Attached = { orderReference?: string; metadata?: Record<string, string> };

/** An event that waits to be dispatched (ADR 0009). */
export type OutboxEvent = RowOf<typeof outboxEventSchema>;

const outboxEventSchema = partOf({
  eventId: REQUIRED.text,
  type: { type: String, enum: RESERVATION_EVENT_TYPES, required: true },
  at: REQUIRED.date,
  originatorId: REQUIRED.text,
  /** Who made the change, for operators. Absent in events of older releases. */
  actor: mixed<RecordedActor>(),
  bookingId: NULLABLE.text,
  holdExpiresAt: OPTIONAL.date,
  reason: OPTIONAL.text,
  /** Absent in events of older releases, and if only `resourceId` is concerned. */
  resourceIdsAffected: OPTIONAL.texts,
  /** The attachments at that time, with their partner. Absent without attachments. */
  attached: mixed<Attached & { partnerId: string }>(),
  /** This and the fields below are the subject (EventSubject): absent in events of older releases. */
  venueId: OPTIONAL.text,
  resourceId: OPTIONAL.text,
  slotId: OPTIONAL.text,
  slotStart: OPTIONAL.date,
  slotEnd: OPTIONAL.date,
  pricePaise: OPTIONAL.number,
  holdId: OPTIONAL.text,
});

/** Searches match `phoneE164`, `nameFolded`, `nameWords` and `phoneReversed`; the rest is stored as given. */
export type Customer = RowOf<typeof customerSchema>;

const customerSchema = partOf({
  name: NULLABLE.text,
  nameFolded: NULLABLE.text,
  phone: NULLABLE.text,
  phoneE164: NULLABLE.text,
  email: NULLABLE.text,
  nameWords: REQUIRED.texts,
  phoneReversed: NULLABLE.text,
});

export type EndingKey = RowOf<typeof endingSchema>;

const endingSchema = partOf({
  key: REQUIRED.text,
  operation: { type: String, enum: ['cancel', 'refund'], required: true },
});
const ENDINGS = { type: [endingSchema], default: undefined } as const;

/** One reservation, from hold to refund (ADR 0001). `_id` is the hold_id. */
export type Reservation = RowOf<typeof reservationSchema>;

export const reservationSchema = schemaOf('reservations', {
  _id: REQUIRED.text,
  partnerId: REQUIRED.text,
  venueId: REQUIRED.text,
  resourceId: REQUIRED.text,
  slotId: REQUIRED.text,
  slotStart: REQUIRED.date,
  slotEnd: REQUIRED.date,
  /** All resources with blocked slots, `resourceId` included; absent if that resource shares no space. */
  resourceIdsAffected: OPTIONAL.texts,
  /** Each is a space × 5 minutes; unique over all claimed reservations (ADR 0002). */
  cells: REQUIRED.texts,
  claimed: REQUIRED.flag,
  status: { type: String, enum: RESERVATION_STATUSES, required: true },
  pricePaise: REQUIRED.number,
  placedAt: REQUIRED.date,
  holdExpiresAt: REQUIRED.date,
  /** The lifetime as placed, for a replay after an extension. Absent in a walk-in. */
  ttlMs: OPTIONAL.number,
  holdKey: OPTIONAL.text,
  /** The attachments from placing the hold, if the confirm replaced them. */
  placedWith: mixed<Attached>(),
  /** Below MAX_ACTIVE_HOLDS, and unique among the partner's ACTIVE holds (ADR 0002). Absent in a walk-in. */
  holdOrdinal: OPTIONAL.number,
  orderReference: OPTIONAL.text,
  metadata: mixed<Record<string, string>>(),
  releasedAt: OPTIONAL.date,
  releaseReason: OPTIONAL.text,
  expiredAt: OPTIONAL.date,
  bookingId: OPTIONAL.text,
  bookedAt: OPTIONAL.date,
  confirmKey: OPTIONAL.text,
  paymentReference: NULL_OR_ABSENT.text,
  customer: { type: customerSchema },
  /** Only in a walk-in of the sandbox: the partner that simulated it. */
  playedFor: OPTIONAL.text,
  packageCreditRequested: OPTIONAL.flag,
  packagePurchaseId: OPTIONAL.text,
  cancelledAt: OPTIONAL.date,
  cancellationReason: OPTIONAL.text,
  refundedAt: OPTIONAL.date,
  refundReason: OPTIONAL.text,
  /** The idempotency keys of the partner's cancels and refunds. */
  endings: ENDINGS,
  /** The idempotency keys of operators' cancels and refunds, unique among operators only. */
  operatorEndings: ENDINGS,
  outbox: { type: [outboxEventSchema], required: true },
  /** Since when the outbox is not empty; else absent. */
  outboxSince: OPTIONAL.date,
});

type SoldSlot = Pick<Reservation, 'venueId' | 'resourceId' | 'slotId' | 'slotStart' | 'slotEnd' | 'pricePaise'>;

/** The slot and the hold of an event, as they were when it happened. */
export type EventSubject = SoldSlot & { holdId: string };

/** What a hold or walk-in takes, before it is inserted. */
export type NewReservation = SoldSlot & Pick<Reservation, '_id' | 'partnerId' | 'resourceIdsAffected' | 'cells'>;

/** A booking without the fields that no view shows. */
export type ShownBooking = Omit<Reservation, 'cells' | 'outbox' | 'endings' | 'operatorEndings'>;

/** A reservation's outbox, and the fields that events of older releases take from the reservation. */
export type Outbox = SoldSlot & Pick<Reservation, '_id' | 'outbox'>;

/** The space and time that a claim takes, without its partner. */
export type ClaimedWindow = Pick<
  Reservation,
  '_id' | 'venueId' | 'resourceId' | 'slotStart' | 'slotEnd' | 'status' | 'holdExpiresAt'
> & {
  /** The cells of the spaces that its resource shares; the other cells can be computed from the window. */
  sharedCells: string[];
};

export const reservationCollection = (db: Db) => collectionOf(db, reservationSchema);
