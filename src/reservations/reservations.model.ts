import type { Db } from '../platform/mongo.ts';
import { collectionOf, MIXED, NULLABLE, OPTIONAL, partOf, REQUIRED, schemaOf } from '../platform/mongo-schema.ts';
import type { RecordedActor } from './actor-types.ts';
import { type EventType, RESERVATION_EVENT_TYPES } from './event-types.ts';
import { RESERVATION_STATUSES, type ReservationStatus } from './reservations.rules.ts';

type SoldSlot = Pick<Reservation, 'venueId' | 'resourceId' | 'slotId' | 'slotStart' | 'slotEnd' | 'pricePaise'>;

/** The slot and the hold of an event, as they were when it happened. */
export type EventSubject = SoldSlot & { holdId: string };

/** A partner's attachments to its hold or booking: shown only to that partner, not interpreted. */
export type Attached = { orderReference?: string; metadata?: Record<string, string> };

/** An event that waits to be dispatched (ADR 0009). Events of older releases have no subject. */
export type OutboxEvent = Partial<EventSubject> & {
  eventId: string;
  type: EventType;
  at: Date;
  originatorId: string;
  /** Who made the change, for operators. Absent in events of older releases. */
  actor?: RecordedActor;
  bookingId: string | null;
  holdExpiresAt?: Date;
  reason?: string;
  /** Absent in events of older releases, and if only `resourceId` is concerned. */
  resourceIdsAffected?: string[];
  /** The attachments at that time, with their partner. Absent without attachments. */
  attached?: Attached & { partnerId: string };
};

/** Searches match `phoneE164`, `nameFolded`, `nameWords` and `phoneReversed`; the rest is stored as given. */
export type Customer = {
  name: string | null;
  nameFolded: string | null;
  phone: string | null;
  phoneE164: string | null;
  email: string | null;
  nameWords: string[];
  phoneReversed: string | null;
};

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
  /** All resources with blocked slots, `resourceId` included; absent if that resource shares no space. */
  resourceIdsAffected?: string[];
  /** Each is a space × 5 minutes; unique over all claimed reservations (ADR 0002). */
  cells: string[];
  claimed: boolean;
  status: ReservationStatus;
  pricePaise: number;
  placedAt: Date;
  holdExpiresAt: Date;
  /** The lifetime as placed, for a replay after an extension. Absent in a walk-in. */
  ttlMs?: number;
  holdKey?: string;
  /** The attachments from placing the hold, if the confirm replaced them. */
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
  /** Only in a walk-in of the sandbox: the partner that simulated it. */
  playedFor?: string;
  packageCreditRequested?: boolean;
  packagePurchaseId?: string;
  cancelledAt?: Date;
  cancellationReason?: string;
  refundedAt?: Date;
  refundReason?: string;
  /** The idempotency keys of the partner's cancels and refunds. */
  endings?: EndingKey[];
  /** The idempotency keys of operators' cancels and refunds, unique among operators only. */
  operatorEndings?: EndingKey[];
  outbox: OutboxEvent[];
  /** Since when the outbox is not empty; else absent. */
  outboxSince?: Date;
};

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

const outboxEventSchema = partOf<OutboxEvent>({
  eventId: REQUIRED.text,
  type: { type: String, enum: RESERVATION_EVENT_TYPES, required: true },
  at: REQUIRED.date,
  originatorId: REQUIRED.text,
  actor: MIXED,
  bookingId: NULLABLE.text,
  holdExpiresAt: OPTIONAL.date,
  reason: OPTIONAL.text,
  resourceIdsAffected: OPTIONAL.texts,
  attached: MIXED,
  venueId: OPTIONAL.text,
  resourceId: OPTIONAL.text,
  slotId: OPTIONAL.text,
  slotStart: OPTIONAL.date,
  slotEnd: OPTIONAL.date,
  pricePaise: OPTIONAL.number,
  holdId: OPTIONAL.text,
});

const customerSchema = partOf<Customer>({
  name: NULLABLE.text,
  nameFolded: NULLABLE.text,
  phone: NULLABLE.text,
  phoneE164: NULLABLE.text,
  email: NULLABLE.text,
  nameWords: REQUIRED.texts,
  phoneReversed: NULLABLE.text,
});

const endingSchema = partOf<EndingKey>({
  key: REQUIRED.text,
  operation: { type: String, enum: ['cancel', 'refund'], required: true },
});
const ENDINGS = { type: [endingSchema], default: undefined } as const;

export const reservationSchema = schemaOf<Reservation>('reservations', {
  _id: REQUIRED.text,
  partnerId: REQUIRED.text,
  venueId: REQUIRED.text,
  resourceId: REQUIRED.text,
  slotId: REQUIRED.text,
  slotStart: REQUIRED.date,
  slotEnd: REQUIRED.date,
  resourceIdsAffected: OPTIONAL.texts,
  cells: REQUIRED.texts,
  claimed: REQUIRED.flag,
  status: { type: String, enum: RESERVATION_STATUSES, required: true },
  pricePaise: REQUIRED.number,
  placedAt: REQUIRED.date,
  holdExpiresAt: REQUIRED.date,
  ttlMs: OPTIONAL.number,
  holdKey: OPTIONAL.text,
  placedWith: MIXED,
  holdOrdinal: OPTIONAL.number,
  orderReference: OPTIONAL.text,
  metadata: MIXED,
  releasedAt: OPTIONAL.date,
  releaseReason: OPTIONAL.text,
  expiredAt: OPTIONAL.date,
  bookingId: OPTIONAL.text,
  bookedAt: OPTIONAL.date,
  confirmKey: OPTIONAL.text,
  paymentReference: OPTIONAL.text,
  customer: { type: customerSchema },
  playedFor: OPTIONAL.text,
  packageCreditRequested: OPTIONAL.flag,
  packagePurchaseId: OPTIONAL.text,
  cancelledAt: OPTIONAL.date,
  cancellationReason: OPTIONAL.text,
  refundedAt: OPTIONAL.date,
  refundReason: OPTIONAL.text,
  endings: ENDINGS,
  operatorEndings: ENDINGS,
  outbox: { type: [outboxEventSchema], required: true },
  outboxSince: OPTIONAL.date,
});

export const reservationCollection = (db: Db) => collectionOf(db, reservationSchema);
