import { PLATFORM_PARTNER_ID } from '../domain/change-origin.ts';
import type { GuardedUpdate } from '../platform/bulk-writes.ts';
import { newId } from '../platform/ids.ts';
import type { Db, Expression, Tx } from '../platform/mongo.ts';
import type { Actor } from './actor-types.ts';
import { noteClaimChanges } from './claim-changes.ts';
import { type EventType, isOfBooking } from './event-types.ts';
import {
  type Attached,
  type EndingKey,
  type EventSubject,
  type Reservation,
  reservationCollection,
} from './reservations.model.ts';
import { ALIVE, CLAIMING, OVERDUE, TRANSITIONS, type TransitionName } from './reservations.rules.ts';

/** Wrap every caller's value in a pipeline: a name such as `$status` must not be read as a field. */
export const literal = (value: unknown): Expression => ({ $literal: value });

/** The fields that an event copies from the reservation, by their names in the event (ADR 0009). */
export const SUBJECT = {
  venueId: '$venueId',
  resourceId: '$resourceId',
  slotId: '$slotId',
  slotStart: '$slotStart',
  slotEnd: '$slotEnd',
  pricePaise: '$pricePaise',
  holdId: '$_id',
  resourceIdsAffected: '$resourceIdsAffected',
} as const satisfies Record<keyof EventSubject | 'resourceIdsAffected', string>;

export function eventOf(type: EventType, originator: unknown, actor: Actor, details: Expression): Expression {
  return { type: literal(type), at: '$$NOW', originatorId: originator, actor: literal(actor), ...details };
}

export type Change = {
  actor: Actor;
  /** The event's originator is the built-in partner `platform`, not the reservation's own partner. */
  isOfPlatform?: boolean;
  /** Fields that the transition sets in addition to status, claim and instant. */
  set?: Partial<Omit<Reservation, 'status' | 'claimed' | 'outbox' | keyof Attached>>;
  /** Replaces the attachments; an absent part stays. */
  attached?: Attached;
  /** The key of a cancel or refund and its namespace; rejected if the reservation has it already. */
  ending?: EndingKey & { namespace: 'endings' | 'operatorEndings' };
  reason?: string;
};

/**
 * Carries out a transition in one update, which checks state, expiry (by the database's clock) and idempotency key, and
 * adds the event. Null if a check fails. Throws a duplicate-key error if an idempotency key belongs to another
 * reservation of its namespace.
 */
export async function applyTransition(
  db: Db,
  name: TransitionName,
  reservationId: string,
  change: Change,
  tx?: Tx,
): Promise<Reservation | null> {
  const { guard, update } = transitionUpdate(name, change, literal(newId()));
  return updateClaim(db, { filter: { _id: reservationId, ...guard }, update }, tx);
}

/** Changes the claim if the filter still matches it; else null. */
export async function updateClaim(
  db: Db,
  { filter, update }: GuardedUpdate & { filter: { _id: string } },
  tx?: Tx,
): Promise<Reservation | null> {
  const reservation = await reservationCollection(db).findOneAndUpdate(filter, update, {
    returnDocument: 'after',
    ...(tx === undefined ? {} : { session: tx }),
  });
  if (reservation !== null) noteClaimChanges(db, [reservation], tx);
  return reservation;
}

/** The update of a transition, which adds an event with `eventId`; `guard` matches only if the transition is legal. */
export function transitionUpdate(
  name: TransitionName,
  change: Change,
  eventId: Expression,
): { guard: Expression; update: [Expression] } {
  const { from, to, hold, event: type, at: expression = '$$NOW', instant } = TRANSITIONS[name];
  const { isOfPlatform = false, set: fields = {}, attached = {}, ending, reason } = change;
  const at = afterLastChange(expression);
  const originator = isOfPlatform ? literal(PLATFORM_PARTNER_ID) : '$partnerId';
  const event = eventOf(type, originator, change.actor, {
    ...SUBJECT,
    eventId,
    at,
    attached: attachedIn(attached),
    bookingId: isOfBooking(type) ? (fields.bookingId ?? '$bookingId') : null,
    ...(reason === undefined ? {} : { reason: literal(reason) }),
  });
  const guard = {
    status: { $in: [...from] },
    ...(hold === undefined ? {} : { $expr: hold === 'alive' ? ALIVE : OVERDUE }),
    ...(ending === undefined ? {} : { [`${ending.namespace}.key`]: { $ne: ending.key } }),
  };
  const set: Expression = {
    ...literals(fields),
    ...replacing(attached),
    status: to,
    claimed: CLAIMING.includes(to),
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
function attachedIn(attached: Attached): Expression {
  const part = (name: keyof Attached): Expression | string =>
    attached[name] === undefined ? `$${name}` : literal(attached[name]);
  const parts = { orderReference: part('orderReference'), metadata: part('metadata') };
  const isEmpty = { $eq: [parts, {}] };
  return { $cond: [isEmpty, '$$REMOVE', { partnerId: '$partnerId', ...parts }] };
}

/** Sets the attachments, and keeps the previous ones in `placedWith`. */
function replacing(attached: Attached): Expression {
  if (Object.keys(attached).length === 0) return {};
  const placedWith = { orderReference: '$orderReference', metadata: '$metadata' };
  return { ...literals(attached), placedWith };
}

/**
 * The instant, but at least a millisecond after the reservation's last change: a new primary's clock may be behind, and
 * a reservation's events are ordered by their instants (ADR 0010).
 */
function afterLastChange(instant: string): Expression {
  const last = { $max: ['$placedAt', '$bookedAt', '$cancelledAt'] };
  return { $max: [instant, { $add: [last, 1] }] };
}

function withEndingKey({ namespace, ...ending }: NonNullable<Change['ending']>): Expression {
  return { [namespace]: { $concatArrays: [{ $ifNull: [`$${namespace}`, []] }, [literal(ending)]] } };
}

/** Adds cells to a live claim, and `resourceIds` to the resources whose slots the claim blocks. */
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
