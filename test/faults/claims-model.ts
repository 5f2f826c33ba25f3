import type { EventRow } from '../../src/events/events.model.ts';
import type { Reservation } from '../../src/reservations/reservations.model.ts';
import type { ReservationStatus } from '../../src/reservations/reservations.rules.ts';
import { eventually } from '../support/eventually.ts';
import { rowsOf, type Stored } from '../support/rows.ts';
import { areRivals, faultOfHistory, type SpacesOf } from './audit.ts';

export type SlotWindow = Pick<Reservation, 'slotId' | 'resourceId' | 'slotStart' | 'slotEnd'>;

/** A reservation as its owner knows it. Only the owner, time, a walk-in or a blackout may change it. */
export type Owned = SlotWindow & {
  holdId: string;
  status: ReservationStatus;
  bookingId?: string;
  /** The purchase whose credit paid for the booking, by the confirm response. */
  packagePurchaseId?: string;
  /** From the last response, in milliseconds; a walk-in has none. */
  holdExpiresAtMs?: number;
};

/** When a call began and ended, in milliseconds of this machine's clock, which is also the database's. */
export type Span = { sentAt: number; answeredAt: number };

/** What responses prove: that this reservation has the slot, from when until when. */
type ProvenClaim = SlotWindow & { holdId: string; isBooked: boolean; from: number; until: number };

/** Legal changes, from the contract's table of states. DISPLACED: a walk-in took the slot of the hold. */
const NEXT: Record<ReservationStatus, readonly ReservationStatus[]> = {
  ACTIVE: ['BOOKED', 'RELEASED', 'EXPIRED', 'DISPLACED'],
  BOOKED: ['CANCELLED', 'REFUNDED'],
  CANCELLED: ['REFUNDED'],
  REFUNDED: [],
  RELEASED: [],
  EXPIRED: [],
  DISPLACED: [],
};
/** States that a hold can reach without an action of its owner. */
const BY_OTHERS: readonly ReservationStatus[] = ['EXPIRED', 'DISPLACED'];

/** Within this time of the response to a change of price, every process sells at the new price. */
const NEW_PRICE_WITHIN_MS = 1000;

/** Checks every response, and the database after every step, against a model of who may have which slot. */
export function createClaimsModel(stored: Stored, spacesOf: SpacesOf) {
  const claims: ProvenClaim[] = [];
  const blackouts: { from: number; until: number; slotStart: Date; slotEnd: Date }[] = [];
  const violations: string[] = [];
  /** Possible prices of a resource, from when until when. */
  const prices: { resourceId: string; rupees: number; from: number; until: number }[] = [];
  /** When a walk-in or a blackout may have taken the slots of holds. */
  const displacements: { slot: SlotWindow; at: number }[] = [];

  /** Records a response by which `claim` has the slot, from some moment during the call until `until`. */
  const recordClaim = (claim: SlotWindow & { holdId: string }, span: Span, until: number, isBooked: boolean) => {
    const before = claims.find((each) => each.holdId === claim.holdId);
    const lasted = (each: { from: number; until: number }) => each.from <= span.sentAt && each.until > span.answeredAt;
    const rival = claims.find(
      (each) => each.holdId !== claim.holdId && lasted(each) && areRivals(each, claim, spacesOf),
    );
    if (rival !== undefined) violations.push(`${claim.holdId} got ${claim.slotId}, which ${rival.holdId} had`);
    const blackout = blackouts.find(
      (each) => lasted(each) && each.slotStart < claim.slotEnd && claim.slotStart < each.slotEnd,
    );
    if (blackout !== undefined && before === undefined)
      violations.push(`${claim.holdId} got ${claim.slotId}, which is blacked out`);
    // A walk-in may have taken the hold's slot before its response arrived.
    const isLost =
      !isBooked && displacements.some(({ slot, at }) => at >= span.sentAt && areRivals(slot, claim, spacesOf));
    const update = { isBooked, until: isLost ? Math.min(until, span.sentAt) : until };
    if (before === undefined) claims.push({ ...claim, ...update, from: span.answeredAt });
    else Object.assign(before, update);
  };

  /** Records that this reservation may give up its slot from now on. */
  const recordEnding = (holdId: string) => {
    const claim = claims.find((each) => each.holdId === holdId);
    if (claim !== undefined) claim.until = Math.min(claim.until, Date.now());
  };

  /** Records that a walk-in may take the slots of holds that overlap `slot` from now on. */
  const recordDisplacement = (slot: SlotWindow) => {
    displacements.push({ slot, at: Date.now() });
    for (const claim of claims) {
      if (!claim.isBooked && areRivals(claim, slot, spacesOf)) claim.until = Math.min(claim.until, Date.now());
    }
  };

  /** Records an acknowledged blackout: no new hold may start there. The returned function lifts it. */
  const recordBlackout = (window: { slotStart: Date; slotEnd: Date }): (() => void) => {
    const entry = { ...window, from: Date.now(), until: Number.POSITIVE_INFINITY };
    blackouts.push(entry);
    return () => {
      entry.until = Date.now();
    };
  };

  /**
   * Call before the operator changes a price, and call the returned function after the response. In between, holds may
   * have either price.
   */
  const recordRepricing = (resourceId: string, rupees: number): (() => void) => {
    const before = prices.filter((each) => each.resourceId === resourceId);
    const entry = { resourceId, rupees, from: Date.now(), until: Number.POSITIVE_INFINITY };
    prices.push(entry);
    return () => {
      const endsAt = Date.now() + NEW_PRICE_WITHIN_MS;
      for (const each of before) each.until = Math.min(each.until, endsAt);
    };
  };

  /** Checks the price that a response states for a hold placed during the call. */
  const checkPrice = ({ slotId, resourceId }: SlotWindow, rupees: number, span: Span) => {
    const isInForce = prices.some(
      (each) =>
        each.resourceId === resourceId &&
        each.rupees === rupees &&
        each.from <= span.answeredAt &&
        each.until >= span.sentAt,
    );
    if (!isInForce) violations.push(`${slotId} was sold for ${rupees}, a price that is no longer valid`);
  };

  /** Checks the reservation in the database after its owner's call, which `succeeded` or not. Updates `owned`. */
  const check = async (owned: Owned, wanted: ReservationStatus, succeeded: boolean): Promise<void> => {
    const [rows, events] = await eventually('the database answers', () => readAround(stored, owned));
    const row = rows.find(({ _id }) => _id === owned.holdId);
    if (row === undefined) {
      violations.push(`${owned.holdId} was acknowledged and is gone`);
      return;
    }
    const note = (fault: string | undefined) => {
      if (fault !== undefined) violations.push(`${fault} (was ${owned.status}, wanted ${wanted}: ${succeeded})`);
    };
    note(faultOfHistory(row, events));
    note(faultOfChange(owned, row, wanted, succeeded));
    for (const other of row.claimed ? rows : []) {
      if (other._id !== row._id && areRivals(other, row, spacesOf))
        note(`${row._id} and ${other._id} both have the space`);
    }
    owned.status = row.status;
  };

  return {
    violations,
    recordClaim,
    recordEnding,
    recordDisplacement,
    recordBlackout,
    recordRepricing,
    checkPrice,
    check,
  };
}

/** The reservation and all claims that overlap it, in one snapshot; then its events. */
async function readAround(stored: Stored, owned: Owned): Promise<[Reservation[], EventRow[]]> {
  const overlapping = { claimed: true, slotStart: { $lt: owned.slotEnd }, slotEnd: { $gt: owned.slotStart } };
  const rows = await stored.context.db
    .collection<Reservation>('reservations')
    .find({ $or: [{ _id: owned.holdId }, overlapping] }, { readConcern: { level: 'snapshot' } })
    .toArray();
  return [rows, await rowsOf(stored, 'events', { holdId: owned.holdId })];
}
export type ClaimsModel = ReturnType<typeof createClaimsModel>;

function faultOfChange(
  owned: Owned,
  row: Reservation,
  wanted: ReservationStatus,
  succeeded: boolean,
): string | undefined {
  const state = `${row._id} is ${row.status}`;
  if (owned.bookingId !== row.bookingId) return `${state} with another booking_id than in the response`;
  if (owned.packagePurchaseId !== row.packagePurchaseId)
    return `${state} with another credit consumed than in the response`;
  if (owned.holdExpiresAtMs !== undefined && row.holdExpiresAt.getTime() < owned.holdExpiresAtMs)
    return `${state} and has lost its extension`;
  if (row.status === 'EXPIRED' && row.holdExpiresAt.getTime() > Date.now()) return `${state} before its expiry`;
  if (row.status === 'BOOKED' && owned.status !== 'BOOKED' && (row.bookedAt ?? row.placedAt) >= row.holdExpiresAt)
    return `${state}, confirmed after its expiry`;
  if (succeeded) {
    // A hold that was just placed or extended can expire at any time.
    const isExplained =
      row.status === wanted ||
      (wanted === 'ACTIVE' && BY_OTHERS.includes(row.status)) ||
      // A displaced hold is RELEASED to its partner, so releasing it again succeeds.
      (wanted === 'RELEASED' && row.status === 'DISPLACED');
    return isExplained ? undefined : `${state} after a success`;
  }
  const isUnchanged = row.status === owned.status;
  const isByOthers = owned.status === 'ACTIVE' && BY_OTHERS.includes(row.status);
  if (!isUnchanged && !isByOthers) return `${state} after a rejection`;
  const isAlive = owned.status !== 'ACTIVE' || row.holdExpiresAt.getTime() > Date.now();
  return isUnchanged && isAlive && NEXT[owned.status].includes(wanted)
    ? `${state}: rejected without a reason`
    : undefined;
}
