import { newId } from '../platform/ids.ts';
import type { Db, Expression, Tx } from '../platform/mongo.ts';
import type { Actor } from './actor-types.ts';
import { insertClaim, updateClaim } from './claim-writes.store.ts';
import { type EventType, isOfBooking } from './event-types.ts';
import type { Attached, EndingKey, EventSubject, Reservation } from './reservations.model.ts';
import { ALIVE, LAPSED, TRANSITIONS, type TransitionName } from './reservations.rules.ts';

/** Wrap every caller's value in a pipeline: a name such as `$status` must not be read as a field. */
const literal = (value: unknown): Expression => ({ $literal: value });

/** The fields that an event copies from the reservation, by their names in the event (ADR 0009). */
const SUBJECT = {
  venueId: '$venueId',
  resourceId: '$resourceId',
  slotId: '$slotId',
  slotStart: '$slotStart',
  slotEnd: '$slotEnd',
  pricePaise: '$pricePaise',
  holdId: '$_id',
  resourceIdsAffected: '$resourceIdsAffected',
} as const satisfies Record<keyof EventSubject | 'resourceIdsAffected', string>;

function eventOf(type: EventType, originator: unknown, actor: Actor, details: Expression): Expression {
  return { type: literal(type), at: '$$NOW', originatorId: originator, actor: literal(actor), ...details };
}

/** `hasEndedHold`: the change took the hold from ACTIVE to another state. */
export type Written = { reservation: Reservation; eventId: string; eventType: EventType; hasEndedHold: boolean };

export type NewReservation = Pick<
  Reservation,
  | '_id'
  | 'partnerId'
  | 'venueId'
  | 'resourceId'
  | 'slotId'
  | 'slotStart'
  | 'slotEnd'
  | 'resourceIdsAffected'
  | 'cells'
  | 'pricePaise'
>;

type NewBooking = Pick<Reservation, 'customer' | 'paymentReference' | 'playedFor'> & {
  bookingId: string;
  actor: Actor;
};

/** Inserts a walk-in, which is BOOKED from the start. Throws a duplicate-key error if a cell is taken. */
export async function insertBooked(
  db: Db,
  draft: NewReservation,
  { actor, ...booking }: NewBooking,
  tx: Tx,
): Promise<Written> {
  const eventId = newId();
  const instants = { placedAt: '$$NOW', bookedAt: '$$NOW', holdExpiresAt: '$$NOW', outboxSince: '$$NOW' };
  const booked = literal({ ...draft, ...booking, status: 'BOOKED', claimed: true });
  const event = eventOf('booking_created', '$partnerId', actor, {
    ...SUBJECT,
    eventId: literal(eventId),
    bookingId: '$bookingId',
  });
  const pipeline = [{ $replaceWith: { $mergeObjects: [booked, instants] } }, { $set: { outbox: [event] } }];
  const reservation = await insertClaim(db, draft._id, pipeline, tx);
  return { reservation, eventId, eventType: 'booking_created', hasEndedHold: false };
}

export type Change = {
  actor: Actor;
  /** The partner named as the event's originator; the reservation's own partner unless stated. */
  originatorId?: string;
  /** Fields that the transition sets in addition to status, claim and instant. */
  set?: Partial<
    Pick<
      Reservation,
      | 'bookingId'
      | 'confirmKey'
      | 'paymentReference'
      | 'customer'
      | 'packageCreditRequested'
      | 'packagePurchaseId'
      | 'releaseReason'
      | 'cancellationReason'
      | 'refundReason'
    >
  >;
  /** Replaces the attachments; an absent part stays. */
  attached?: Attached | undefined;
  /** The key of a cancel or refund and its namespace; rejected if the reservation has it already. */
  ending?: EndingKey & { of: 'endings' | 'operatorEndings' };
  reason?: string;
};

/**
 * Carries out one legal transition in one guarded update: state, expiry by the database's clock, idempotency key and
 * event change together. Null if the reservation is in no source state. Throws a duplicate-key error if an idempotency
 * key belongs to another reservation of its namespace.
 */
export async function applyTransition(
  db: Db,
  name: TransitionName,
  reservationId: string,
  change: Change,
  tx?: Tx,
): Promise<Written | null> {
  const eventId = newId();
  const { guard, update } = transitionUpdate(name, change, literal(eventId));
  const reservation = await updateClaim(db, { filter: { _id: reservationId, ...guard }, update }, tx);
  if (reservation === null) return null;
  const { event: eventType, from }: (typeof TRANSITIONS)[TransitionName] = TRANSITIONS[name];
  return { reservation, eventId, eventType, hasEndedHold: from[0] === 'ACTIVE' };
}

/** The update of a transition, which adds an event with `eventId`, and the guard that matches only if it is legal. */
export function transitionUpdate(
  name: TransitionName,
  change: Change,
  eventId: Expression,
): { guard: Expression; update: [Expression] } {
  const { from, to, hold, claimed, event: type, at: happened, instant } = TRANSITIONS[name];
  const { originatorId, set: fields = {}, attached = {}, ending, reason } = change;
  const at = laterThanBefore(happened);
  const originator = originatorId === undefined ? '$partnerId' : literal(originatorId);
  const event = eventOf(type, originator, change.actor, {
    ...SUBJECT,
    eventId,
    at,
    attached: attachedAfter(attached),
    bookingId: isOfBooking(type) ? (fields.bookingId ?? '$bookingId') : null,
    ...(reason === undefined ? {} : { reason: literal(reason) }),
  });
  const guard = {
    status: { $in: [...from] },
    ...(hold === 'any' ? {} : { $expr: hold === 'alive' ? ALIVE : LAPSED }),
    ...(ending === undefined ? {} : { [`${ending.of}.key`]: { $ne: ending.key } }),
  };
  const set: Expression = {
    ...literals(fields),
    ...replacing(attached),
    status: to,
    claimed,
    [instant]: at,
    outbox: { $concatArrays: ['$outbox', [event]] },
    outboxSince: { $ifNull: ['$outboxSince', '$$NOW'] },
    ...(ending === undefined ? {} : withEndingKey(ending)),
  };
  return { guard, update: [{ $set: set }] };
}

function literals(fields: object): Expression {
  return Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, literal(value)]));
}

/** The attachments of the reservation after the change, with its partner; `$$REMOVE` if there are none. */
function attachedAfter(change: Attached): Expression {
  const part = (name: keyof Attached): Expression | string =>
    change[name] === undefined ? `$${name}` : literal(change[name]);
  const parts = { orderReference: part('orderReference'), metadata: part('metadata') };
  const isEmpty = { $eq: [parts, {}] };
  return { $cond: [isEmpty, '$$REMOVE', { partnerId: '$partnerId', ...parts }] };
}

/** Sets the attachments, and keeps those from the placing of the hold. */
function replacing(attached: Attached): Expression {
  if (Object.keys(attached).length === 0) return {};
  const placedWith = { orderReference: '$orderReference', metadata: '$metadata' };
  return { ...literals(attached), placedWith };
}

/**
 * The instant, but at least a millisecond after the reservation's last change: a new primary's clock may be behind, and
 * a reservation's events are ordered by their instants (ADR 0010).
 */
function laterThanBefore(instant: string): Expression {
  const last = { $max: ['$placedAt', '$bookedAt', '$cancelledAt'] };
  return { $max: [instant, { $add: [last, 1] }] };
}

function withEndingKey({ of, ...ending }: NonNullable<Change['ending']>): Expression {
  return { [of]: { $concatArrays: [{ $ifNull: [`$${of}`, []] }, [literal(ending)]] } };
}

/**
 * Moves a live hold's expiry to `ttlMs` from the database's now or to the end of its slot, whichever is earlier, and
 * never to an earlier time. Null if the hold is not live, or would live longer than `maxLifeMs`.
 */
export async function extendHold(
  db: Db,
  holdId: string,
  ttlMs: number,
  maxLifeMs: number,
): Promise<Reservation | null> {
  const wanted = { $min: [{ $add: ['$$NOW', ttlMs] }, '$slotEnd'] };
  const isWithinLife = { $lte: [wanted, { $add: ['$placedAt', maxLifeMs] }] };
  return updateClaim(db, {
    filter: { _id: holdId, status: 'ACTIVE', $expr: { $and: [ALIVE, isWithinLife] } },
    update: [{ $set: { holdExpiresAt: { $max: ['$holdExpiresAt', wanted] } } }],
  });
}

/** Moves a live hold's expiry to the database's now; false if the hold is not live. */
export async function lapseNow(db: Db, holdId: string): Promise<boolean> {
  const filter = { _id: holdId, status: 'ACTIVE', $expr: ALIVE };
  return (await updateClaim(db, { filter, update: [{ $set: { holdExpiresAt: '$$NOW' } }] })) !== null;
}

/** Adds cells to a live claim, which block slots of these resources from now on. */
export async function addCells(
  db: Db,
  reservationId: string,
  cells: readonly string[],
  resourceIds: readonly string[],
): Promise<void> {
  const filter = { _id: reservationId, claimed: true };
  const added = { cells: { $each: [...cells] }, resourceIdsAffected: { $each: [...resourceIds] } };
  await updateClaim(db, { filter, update: { $addToSet: added } });
}
