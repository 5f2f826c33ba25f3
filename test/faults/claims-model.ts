import type { EventRow } from '../../src/events/events.model.ts';
import type { Reservation } from '../../src/reservations/reservations.model.ts';
import type { ReservationStatus } from '../../src/reservations/reservations.rules.ts';
import { eventually } from '../support/eventually.ts';
import { rowsOf, type Stored } from '../support/rows.ts';
import { areRivals, faultOfHistory, type GroundsOf } from './audit.ts';

export type SlotWindow = Pick<Reservation, 'slotId' | 'resourceId' | 'slotStart' | 'slotEnd'>;

/** A reservation as its owner knows it; otherwise only time, a walk-in or a blackout may change it. */
export type Owned = SlotWindow & {
  holdId: string;
  status: ReservationStatus;
  bookingId?: string;
  /** The purchase whose credit the confirm was answered to have consumed. */
  packagePurchaseId?: string;
  /** As the last response said, in milliseconds; a walk-in has none. */
  holdExpiresAtMs?: number;
};

/** A call's beginning and end by the clock of this machine, which is the database's too; milliseconds. */
export type Span = { sentAt: number; answeredAt: number };

/** What partners know of the ground from their answers alone: who certainly has it, from when until when. */
type Certain = SlotWindow & { holdId: string; isBooked: boolean; from: number; until: number };

/** The legal changes, from the contract's table of states; DISPLACED is the hold that a walk-in took the slot of. */
const NEXT: Record<ReservationStatus, readonly ReservationStatus[]> = {
  ACTIVE: ['BOOKED', 'RELEASED', 'EXPIRED', 'DISPLACED'],
  BOOKED: ['CANCELLED', 'REFUNDED'],
  CANCELLED: ['REFUNDED'],
  REFUNDED: [],
  RELEASED: [],
  EXPIRED: [],
  DISPLACED: [],
};
/** What happens to a hold without its owner. */
const BY_OTHERS: readonly ReservationStatus[] = ['EXPIRED', 'DISPLACED'];

/** By when every process sells at a price that was acknowledged. */
const OBEYED_WITHIN_MS = 1000;

/**
 * A model of who may have what, held against every response and against the database after every step. `violations` has what
 * contradicts it, in words.
 */
export function createClaimsModel(stored: Stored, groundsOf: GroundsOf) {
  const certain: Certain[] = [];
  const closed: { from: number; until: number; slotStart: Date; slotEnd: Date }[] = [];
  const violations: string[] = [];
  /** What a resource may be sold for, from when until when. */
  const prices: { resourceId: string; rupees: number; from: number; until: number }[] = [];
  /** When a walk-in or a blackout may have taken the ground of the holds there. */
  const displacements: { slot: SlotWindow; at: number }[] = [];

  /** A response says that the ground is `claim`'s, from somewhere within the call until `until`. */
  const claimed = (claim: SlotWindow & { holdId: string }, span: Span, until: number, isBooked: boolean) => {
    const before = certain.find((each) => each.holdId === claim.holdId);
    const rival = certain.find(
      (each) =>
        each.holdId !== claim.holdId &&
        each.from <= span.sentAt &&
        each.until > span.answeredAt &&
        areRivals(each, claim, groundsOf),
    );
    if (rival !== undefined) violations.push(`${claim.holdId} got ${claim.slotId}, which ${rival.holdId} had`);
    const blackout = closed.find(
      (each) =>
        each.from <= span.sentAt &&
        each.until > span.answeredAt &&
        each.slotStart < claim.slotEnd &&
        claim.slotStart < each.slotEnd,
    );
    if (blackout !== undefined && before === undefined)
      violations.push(`${claim.holdId} got ${claim.slotId}, which is blacked out`);
    // A hold may have lost its ground again while the response was on its way.
    const isLost =
      !isBooked && displacements.some(({ slot, at }) => at >= span.sentAt && areRivals(slot, claim, groundsOf));
    const known = { isBooked, until: isLost ? Math.min(until, span.sentAt) : until };
    if (before === undefined) certain.push({ ...claim, ...known, from: span.answeredAt });
    else Object.assign(before, known);
  };

  /** From now on this reservation may have given its ground up. */
  const ending = (holdId: string) => {
    const claim = certain.find((each) => each.holdId === holdId);
    if (claim !== undefined) claim.until = Math.min(claim.until, Date.now());
  };

  /** From now on a walk-in may have taken the ground of the holds there. */
  const displacing = (slot: SlotWindow) => {
    displacements.push({ slot, at: Date.now() });
    for (const claim of certain) {
      if (!claim.isBooked && areRivals(claim, slot, groundsOf)) claim.until = Math.min(claim.until, Date.now());
    }
  };

  /** A blackout that was acknowledged; until it is lifted nothing new may be held there. Answers how it is lifted. */
  const blackedOut = (window: { slotStart: Date; slotEnd: Date }): (() => void) => {
    const entry = { ...window, from: Date.now(), until: Number.POSITIVE_INFINITY };
    closed.push(entry);
    return () => {
      entry.until = Date.now();
    };
  };

  /** The operator asks for another price of a resource, which may be met from now on. Call the result once it is acknowledged. */
  const repricing = (resourceId: string, rupees: number): (() => void) => {
    const before = prices.filter((each) => each.resourceId === resourceId);
    const entry = { resourceId, rupees, from: Date.now(), until: Number.POSITIVE_INFINITY };
    prices.push(entry);
    return () => {
      const endsAt = Date.now() + OBEYED_WITHIN_MS;
      for (const each of before) each.until = Math.min(each.until, endsAt);
    };
  };

  /** A response says what a slot that was placed within the call costs. */
  const priced = ({ slotId, resourceId }: SlotWindow, rupees: number, span: Span) => {
    const isInForce = prices.some(
      (each) =>
        each.resourceId === resourceId &&
        each.rupees === rupees &&
        each.from <= span.answeredAt &&
        each.until >= span.sentAt,
    );
    if (!isInForce) violations.push(`${slotId} was sold for ${rupees}, a price that was changed`);
  };

  /**
   * Reads the reservation after a step of its owner, who tried to bring it to `wanted` and was told that this `succeeded`, or not.
   * Changes `owned` to what is there now.
   */
  const check = async (owned: Owned, wanted: ReservationStatus, succeeded: boolean): Promise<void> => {
    const [rows, events] = await eventually('the database answers', () => readAround(stored, owned), 60_000);
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
      if (other._id !== row._id && areRivals(other, row, groundsOf))
        note(`${row._id} and ${other._id} both have the ground`);
    }
    owned.status = row.status;
  };

  return { violations, claimed, ending, displacing, blackedOut, repricing, priced, check };
}

/** The reservation with all claims that overlap it, in one snapshot; then its events. */
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
  const said = `${row._id} is ${row.status}`;
  if (owned.bookingId !== row.bookingId) return `${said} with another booking_id than was answered`;
  if (owned.packagePurchaseId !== row.packagePurchaseId)
    return `${said} with another credit consumed than was answered`;
  if (owned.holdExpiresAtMs !== undefined && row.holdExpiresAt.getTime() < owned.holdExpiresAtMs)
    return `${said} and has lost its extension`;
  if (row.status === 'EXPIRED' && row.holdExpiresAt.getTime() > Date.now()) return `${said} before its expiry`;
  if (row.status === 'BOOKED' && owned.status !== 'BOOKED' && (row.bookedAt ?? row.placedAt) >= row.holdExpiresAt)
    return `${said}, confirmed after its expiry`;
  if (succeeded) {
    // A hold that was just placed or extended can end by itself at any time.
    const isThere =
      row.status === wanted ||
      (wanted === 'ACTIVE' && BY_OTHERS.includes(row.status)) ||
      // A hold that a walk-in displaced is RELEASED to its partner, and to release it again is a success.
      (wanted === 'RELEASED' && row.status === 'DISPLACED');
    return isThere ? undefined : `${said} after a success`;
  }
  const isUnchanged = row.status === owned.status;
  const isByOthers = owned.status === 'ACTIVE' && BY_OTHERS.includes(row.status);
  if (!isUnchanged && !isByOthers) return `${said} after a refusal`;
  const isAlive = owned.status !== 'ACTIVE' || row.holdExpiresAt.getTime() > Date.now();
  return isUnchanged && isAlive && NEXT[owned.status].includes(wanted)
    ? `${said}: refused without a reason`
    : undefined;
}
