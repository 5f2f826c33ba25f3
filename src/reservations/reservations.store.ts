import { updateEach } from '../platform/bulk-writes.ts';
import { newId } from '../platform/ids.ts';
import type { Db, Expression, Tx } from '../platform/mongo.ts';
import type { Actor } from './actor-types.ts';
import { insertClaim, updateClaim } from './claim-writes.store.ts';
import type { EventType } from './event-types.ts';
import { isOfBooking } from './event-types.ts';
import type { Attached, EndingKey, EventSubject, Reservation } from './reservations.model.ts';
import { reservationCollection } from './reservations.model.ts';
import type { TransitionName } from './reservations.rules.ts';
import { ALIVE, LAPSED, TRANSITIONS } from './reservations.rules.ts';

/** Every value of a caller goes into a pipeline as a literal: a name such as `$status` must not be read as a field. */
const literal = (value: unknown): Expression => ({ $literal: value });

/** What the event of a transition says of the reservation, by the names that it has there (ADR 0009). */
const SUBJECT = {
  venueId: '$venueId',
  resourceId: '$resourceId',
  slotId: '$slotId',
  slotStart: '$slotStart',
  slotEnd: '$slotEnd',
  pricePaise: '$pricePaise',
  holdId: '$_id',
} as const satisfies Record<keyof EventSubject, string>;

function eventOf(type: EventType, originator: unknown, actor: Actor, details: Expression): Expression {
  return {
    type: literal(type),
    at: '$$NOW',
    originatorId: originator,
    actor: literal(actor),
    ...details,
  };
}

export type Written = { reservation: Reservation; eventId: string };

export type NewReservation = Pick<
  Reservation,
  '_id' | 'partnerId' | 'venueId' | 'resourceId' | 'slotId' | 'slotStart' | 'slotEnd' | 'cells' | 'pricePaise'
>;

export type NewBooking = Pick<Reservation, 'bookingId' | 'customer' | 'paymentReference' | 'playedFor'> & {
  bookingId: string;
};

/** Inserts a reservation that is BOOKED from the start: a walk-in. Throws a duplicate-key error where a cell is taken. */
export async function insertBooked(
  db: Db,
  draft: NewReservation,
  { actor, ...booking }: NewBooking & { actor: Actor },
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
  return { reservation: await insertClaim(db, draft._id, pipeline, tx), eventId };
}

export type Change = {
  actor: Actor;
  /** In whose name the change is made; the reservation's own partner's unless stated. */
  originatorId?: string;
  /** Fields that the transition sets beside status, claim and instant. */
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
  /** What takes the place of what was attached before; each absent part stays. */
  attached?: Attached | undefined;
  /** The key of a cancel or refund and its namespace; rejected where the reservation has it already. */
  ending?: EndingKey & { of: 'endings' | 'operatorEndings' };
  reason?: string;
};

/**
 * Carries out one legal transition as one guarded update: source state, expiry by the database's clock, new state,
 * idempotency key and event together or not at all. Null where the reservation is in no source state of it (any more).
 * Throws a duplicate-key error where an idempotency key belongs to another reservation of its namespace.
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
  return reservation === null ? null : { reservation, eventId };
}

/** The update of a transition, and the guard that matches only where the transition is legal. It adds an event with that id. */
export function transitionUpdate(
  name: TransitionName,
  change: Change,
  eventId: Expression,
): { guard: Expression; update: [Expression] } {
  const { from, to, hold, claimed, event: type, at: happened, instant } = TRANSITIONS[name];
  const at = laterThanBefore(happened);
  const event = eventOf(
    type,
    change.originatorId === undefined ? '$partnerId' : literal(change.originatorId),
    change.actor,
    {
      ...SUBJECT,
      eventId,
      at,
      attached: attachedAfter(change.attached),
      bookingId: isOfBooking(type) ? (change.set?.bookingId ?? '$bookingId') : null,
      ...(change.reason === undefined ? {} : { reason: literal(change.reason) }),
    },
  );
  const guard = {
    status: { $in: [...from] },
    ...(hold === 'any' ? {} : { $expr: hold === 'alive' ? ALIVE : LAPSED }),
    ...(change.ending === undefined ? {} : { [`${change.ending.of}.key`]: { $ne: change.ending.key } }),
  };
  const set: Expression = {
    ...Object.fromEntries(Object.entries(change.set ?? {}).map(([field, value]) => [field, literal(value)])),
    ...replacing(change.attached),
    status: to,
    claimed,
    [instant]: at,
    outbox: { $concatArrays: ['$outbox', [event]] },
    outboxSince: { $ifNull: ['$outboxSince', '$$NOW'] },
    ...(change.ending === undefined ? {} : withEndingKey(change.ending)),
  };
  return { guard, update: [{ $set: set }] };
}

/** What is attached to a reservation once `change` has replaced some of it, and whose it is; nothing where nothing is. */
function attachedAfter(change: Attached = {}): Expression {
  const part = (name: keyof Attached): Expression | string =>
    change[name] === undefined ? `$${name}` : literal(change[name]);
  const parts = { orderReference: part('orderReference'), metadata: part('metadata') };
  const isEmpty = { $eq: [parts, {}] };
  return { $cond: [isEmpty, '$$REMOVE', { partnerId: '$partnerId', ...parts }] };
}

/** Sets what is attached, and keeps what it was when the hold was placed. */
function replacing(attached: Attached = {}): Expression {
  if (Object.keys(attached).length === 0) return {};
  const given = Object.entries(attached).map(([name, value]) => [name, literal(value)] as const);
  return {
    ...Object.fromEntries(given),
    placedWith: { orderReference: '$orderReference', metadata: '$metadata' },
  };
}

/**
 * The instant, or the millisecond after the last change of the reservation where that is later: the clock of a new primary may be
 * behind that of the one before, and the events of a reservation are ordered by their instants (ADR 0010).
 */
function laterThanBefore(instant: string): Expression {
  const last = { $max: ['$placedAt', '$bookedAt', '$cancelledAt'] };
  return { $max: [instant, { $add: [last, 1] }] };
}

function withEndingKey({ of, ...ending }: NonNullable<Change['ending']>): Expression {
  return { [of]: { $concatArrays: [{ $ifNull: [`$${of}`, []] }, [literal(ending)]] } };
}

/**
 * Moves a live hold's expiry to `ttlMs` from the database's now or to the end of its slot, whichever is earlier, and never nearer
 * than it is. Null where it is no live hold, or the new end would be later than `maxLifeMs` after it was placed.
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

/** Moves a live hold's expiry to the database's now; false where it is no live hold. */
export async function lapseNow(db: Db, holdId: string): Promise<boolean> {
  const filter = { _id: holdId, status: 'ACTIVE', $expr: ALIVE };
  return (await updateClaim(db, { filter, update: [{ $set: { holdExpiresAt: '$$NOW' } }] })) !== null;
}

/**
 * Takes dispatched events out of the outboxes of their reservations; `outboxSince` goes with the last one. Returns for each
 * reservation, in their order, the error that it met alone.
 */
export async function removeFromOutboxes(
  db: Db,
  dispatched: readonly { reservationId: string; eventIds: readonly string[] }[],
): Promise<(Error | undefined)[]> {
  if (dispatched.length === 0) return [];
  const remove = (eventIds: readonly string[]) => {
    const rest = {
      $filter: { input: '$outbox', cond: { $not: [{ $in: ['$$this.eventId', [...eventIds]] }] } },
    };
    return [
      { $set: { outbox: rest } },
      { $set: { outboxSince: { $cond: [{ $eq: ['$outbox', []] }, '$$REMOVE', '$outboxSince'] } } },
    ];
  };
  const updates = dispatched.map(({ reservationId, eventIds }) => ({
    filter: { _id: reservationId },
    update: remove(eventIds),
  }));
  const ids = dispatched.map(({ reservationId }) => reservationId);
  const isOther = { $elemMatch: { eventId: { $nin: dispatched.flatMap(({ eventIds }) => eventIds) } } };
  const empty = {
    filter: { _id: { $in: ids }, outboxSince: { $exists: true }, outbox: { $not: isOther } },
    update: { $set: { outbox: [] }, $unset: { outboxSince: '' } },
  };
  return updateEach(reservationCollection(db), updates, empty);
}

/** Adds cells to a live claim. Throws a duplicate-key error where another claim has one of them. */
export async function addCells(db: Db, reservationId: string, cells: readonly string[]): Promise<void> {
  const filter = { _id: reservationId, claimed: true };
  await updateClaim(db, { filter, update: { $addToSet: { cells: { $each: [...cells] } } } });
}
