import { batched } from '../platform/batched.ts';
import { memoizeByObject } from '../platform/memoize-by-object.ts';
import type { Db, Expression } from '../platform/mongo.ts';
import { NEWEST } from '../platform/newest-reads.ts';
import { CELL_MINUTES } from './cells.rules.ts';
import type { ClaimedWindow, Reservation } from './reservations.model.ts';
import { reservationCollection } from './reservations.model.ts';
import { ALIVE, AS_SEEN_NOW } from './reservations.rules.ts';

/** More than any claim has. */
const MAX_CELLS = 1_000_000;

/** How a claim on cells is described to somebody else: never whose it is. */
export type ClaimedCells = Pick<Reservation, '_id' | 'cells' | 'status' | 'holdExpiresAt'>;

const CLAIM_FIELDS = { cells: 1, status: 1, holdExpiresAt: 1 };
const DAY_MS = 86_400_000;

const WINDOW_FIELDS = {
  ...{ venueId: 1, resourceId: 1, slotStart: 1, slotEnd: 1, status: 1, holdExpiresAt: 1 },
  // A claim lists the cells of its own resource first.
  sharedCells: {
    $slice: [
      '$cells',
      { $toInt: { $ceil: { $divide: [{ $subtract: ['$slotEnd', '$slotStart'] }, CELL_MINUTES * 60_000] } } },
      MAX_CELLS,
    ],
  },
};

/** A venue and a time [from, to) there. */
export type VenueTime = { venueId: string; from: Date; to: Date };

/** Of so many calls windows are asked for at once, and of so many cells: those of a slot are 300 at most. */
const MAX_CALLS = 50;

/**
 * The live claims that overlap the time at its venue; lapsed holds claim nothing. The newest state, which has all that was acknowledged
 * before. Calls at once share the read.
 */
export const findClaimedWindows = (db: Db, time: VenueTime): Promise<ClaimedWindow[]> =>
  claimedWindowsOf(db)(time);

const claimedWindowsOf = memoizeByObject((db: Db) =>
  batched<VenueTime, ClaimedWindow[]>(async (times) => {
    const $or = times.map(({ venueId, from, to }) => claimsAt(venueId, from, to));
    const found = await reservationCollection(db)
      .aggregate<ClaimedWindow>(
        [{ $match: { $or } }, { $match: { $expr: IS_LIVE_CLAIM } }, { $project: WINDOW_FIELDS }],
        NEWEST,
      )
      .toArray();
    return times.map(({ venueId, from, to }) => {
      const [fromMs, toMs] = [from.getTime(), to.getTime()];
      return found.filter(
        (claim) =>
          claim.venueId === venueId && claim.slotStart.getTime() < toMs && claim.slotEnd.getTime() > fromMs,
      );
    });
  }, MAX_CALLS),
);

/** Of what is claimed: a booking, or a hold that has not lapsed. */
const IS_LIVE_CLAIM: Expression = { $or: [{ $ne: ['$status', 'ACTIVE'] }, ALIVE] };

function claimsAt(venueId: string, from: Date, to: Date): Expression {
  // No slot is longer than a day, which bounds the range of the index.
  const earliest = new Date(from.getTime() - DAY_MS);
  return { venueId, claimed: true, slotStart: { $gte: earliest, $lt: to }, slotEnd: { $gt: from } };
}

/** A claim as operators see it. */
export type LiveClaim = Pick<
  Reservation,
  '_id' | 'bookingId' | 'partnerId' | 'resourceId' | 'slotId' | 'slotStart' | 'slotEnd' | 'placedAt'
>;

const WHOSE_AND_WHEN = {
  bookingId: 1,
  partnerId: 1,
  resourceId: 1,
  slotId: 1,
  slotStart: 1,
  slotEnd: 1,
};

/** The live claims at a venue that overlap [from, to), by their start; the newest state, committed or about to be. */
export const findLiveClaimsAtVenue = (db: Db, venueId: string, from: Date, to: Date): Promise<LiveClaim[]> =>
  findLiveClaims(db, venueId, from, to, { placedAt: 1 });

/** A claim as operators see it on the day of a venue: whose it is, and how long a hold has left by the database's clock. */
export type Occupancy = Omit<LiveClaim, 'placedAt'> &
  Pick<Reservation, 'cells' | 'status'> & { customerName?: string | null; leftMs: number };

/** The same with who has them. */
export const findOccupancyAtVenue = (db: Db, venueId: string, from: Date, to: Date): Promise<Occupancy[]> =>
  findLiveClaims(db, venueId, from, to, {
    cells: 1,
    status: 1,
    customerName: '$customer.name',
    leftMs: { $subtract: ['$holdExpiresAt', '$$NOW'] },
  });

async function findLiveClaims<Claim extends object>(
  db: Db,
  venueId: string,
  from: Date,
  to: Date,
  fields: Expression,
): Promise<Claim[]> {
  return reservationCollection(db)
    .aggregate<Claim>(
      [
        { $match: claimsAt(venueId, from, to) },
        { $match: { $expr: IS_LIVE_CLAIM } },
        { $sort: { slotStart: 1, _id: 1 } },
        { $project: { ...WHOSE_AND_WHEN, ...fields } },
      ],
      NEWEST,
    )
    .toArray();
}

/** A claim with whose it is, which only that partner may see. */
export type Claimant = ClaimedCells & Pick<Reservation, 'partnerId' | 'venueId' | 'slotStart' | 'slotEnd'>;

/**
 * Whoever claims any of `cells`, lapsed holds (status EXPIRED) included; the newest state, committed or about to be. Calls at once
 * share the read.
 */
export async function findClaimants(db: Db, cells: readonly string[]): Promise<Claimant[]> {
  return claimantsOf(db)(cells);
}

const claimantsOf = memoizeByObject((db: Db) =>
  batched<readonly string[], Claimant[]>(async (calls) => {
    const wanted = [...new Set(calls.flat())];
    const found = await reservationCollection(db)
      .aggregate<Claimant>(
        [
          { $match: { claimed: true, cells: { $in: wanted } } },
          AS_SEEN_NOW,
          { $project: { ...CLAIM_FIELDS, partnerId: 1, venueId: 1, slotStart: 1, slotEnd: 1 } },
        ],
        NEWEST,
      )
      .toArray();
    const claimantOf = new Map(found.flatMap((each) => each.cells.map((cell) => [cell, each] as const)));
    return calls.map((cells) => [...new Set(cells.flatMap((cell) => claimantOf.get(cell) ?? []))]);
  }, MAX_CALLS),
);

export type LiveWindow = Pick<Reservation, '_id' | 'slotStart' | 'slotEnd'>;

/** Live claims of a resource whose slot has not ended, by the database's clock, for making them fill space that became shared. */
export async function findLiveClaimsOfResource(db: Db, resourceId: string): Promise<LiveWindow[]> {
  const isToCome = { $gt: ['$slotEnd', '$$NOW'] };
  return reservationCollection(db)
    .find(
      { resourceId, claimed: true, $expr: { $and: [isToCome, IS_LIVE_CLAIM] } },
      { projection: { slotStart: 1, slotEnd: 1 }, ...NEWEST },
    )
    .toArray();
}
