import { onePer } from '../platform/coalesced.ts';
import { gathered } from '../platform/gathered.ts';
import type { Db, Expression } from '../platform/mongo.ts';
import { NEWEST } from '../platform/newest-reads.ts';
import { CELL_MINUTES } from './cells.rules.ts';
import { noteClaimChanges, placedChange } from './claim-changes.store.ts';
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

/**
 * The live claims that overlap one of the times at its venue, each once; lapsed holds claim nothing. The newest state: what is kept of
 * it must miss nothing that was acknowledged before (ADR 0038).
 */
export async function findClaimedWindows(db: Db, times: readonly VenueTime[]): Promise<ClaimedWindow[]> {
  const $or = times.map(({ venueId, from, to }) => claimsAt(venueId, from, to));
  return reservationCollection(db)
    .aggregate<ClaimedWindow>(
      [{ $match: { $or } }, { $match: { $expr: IS_LIVE_CLAIM } }, { $project: WINDOW_FIELDS }],
      NEWEST,
    )
    .toArray();
}

/** Of what is claimed: a booking, or a hold that has not lapsed. */
const IS_LIVE_CLAIM: Expression = { $or: [{ $ne: ['$status', 'ACTIVE'] }, ALIVE] };

const liveClaimsAt = (venueId: string, from: Date, to: Date): Expression[] => [
  { $match: claimsAt(venueId, from, to) },
  { $match: { $expr: IS_LIVE_CLAIM } },
];

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
export async function findLiveClaimsAtVenue(
  db: Db,
  venueId: string,
  from: Date,
  to: Date,
): Promise<LiveClaim[]> {
  const fields = { ...WHOSE_AND_WHEN, placedAt: 1 };
  return reservationCollection(db)
    .aggregate<LiveClaim>(
      [...liveClaimsAt(venueId, from, to), { $sort: { slotStart: 1, _id: 1 } }, { $project: fields }],
      NEWEST,
    )
    .toArray();
}

/** A claim as operators see it on the day of a venue: whose it is, and how long a hold has left by the database's clock. */
export type Occupancy = Omit<LiveClaim, 'placedAt'> &
  Pick<Reservation, 'cells' | 'status'> & { customerName?: string | null; leftMs: number };

/** The live claims at a venue that overlap [from, to), by their start, with who has them. */
export async function findOccupancyAtVenue(
  db: Db,
  venueId: string,
  from: Date,
  to: Date,
): Promise<Occupancy[]> {
  const fields = {
    ...WHOSE_AND_WHEN,
    cells: 1,
    status: 1,
    customerName: '$customer.name',
    leftMs: { $subtract: ['$holdExpiresAt', '$$NOW'] },
  };
  return reservationCollection(db)
    .aggregate<Occupancy>([
      ...liveClaimsAt(venueId, from, to),
      { $sort: { slotStart: 1, _id: 1 } },
      { $project: fields },
    ])
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

/** Of so many calls cells are asked for at once: those of a slot are 300 at most. */
const MAX_CALLS = 50;

const claimantsOf = onePer((db: Db) =>
  gathered<readonly string[], Claimant[]>(async (calls) => {
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
    // What the process keeps of claims may not have these yet: their slots are not to be offered to who has just lost them.
    noteClaimChanges(
      db,
      found
        .filter(({ status }) => status !== 'EXPIRED')
        .flatMap((claim) => [placedChange(claim), { reservationId: claim._id, status: claim.status }]),
    );
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
