import { batchedByDb } from '../platform/batched.ts';
import type { Db, Expression } from '../platform/mongo.ts';
import { NEWEST } from '../platform/newest-reads.ts';
import { CELL_MINUTES } from './cells.rules.ts';
import { type ClaimedWindow, type Reservation, reservationCollection } from './reservations.model.ts';
import { ALIVE, AS_SEEN_NOW } from './reservations.rules.ts';

// All reads here return the newest state, even before it is majority-committed.

/** More cells than any claim has. */
const MAX_CELLS = 1_000_000;
/** The most calls that share a read. `findClaimants` gets up to 289 cells for each space: a day and one cell. */
const MAX_CALLS = 50;
const DAY_MS = 86_400_000;

/** A claim of a booking, or of a hold that is not overdue. */
const IS_LIVE_CLAIM: Expression = { $or: [{ $ne: ['$status', 'ACTIVE'] }, ALIVE] };

function claimsAt(venueId: string, from: Date, to: Date): Expression {
  // No slot is longer than a day, which bounds the range of the index.
  const earliest = new Date(from.getTime() - DAY_MS);
  return { venueId, claimed: true, slotStart: { $gte: earliest, $lt: to }, slotEnd: { $gt: from } };
}

const WINDOW_FIELDS = {
  venueId: 1,
  resourceId: 1,
  slotStart: 1,
  slotEnd: 1,
  status: 1,
  holdExpiresAt: 1,
  // Skip the cells of the claim's own space, which `cells` lists first.
  sharedCells: {
    $slice: [
      '$cells',
      { $toInt: { $ceil: { $divide: [{ $subtract: ['$slotEnd', '$slotStart'] }, CELL_MINUTES * 60_000] } } },
      MAX_CELLS,
    ],
  },
};

type VenueTime = { venueId: string; from: Date; to: Date };

/** The live claims that overlap a period at a venue, without overdue holds. Concurrent calls share reads. */
export const findClaimedWindows = batchedByDb<VenueTime, ClaimedWindow[]>(async (db, times) => {
  const $or = times.map(({ venueId, from, to }) => claimsAt(venueId, from, to));
  const windows = await reservationCollection(db)
    .aggregate<ClaimedWindow>(
      [{ $match: { $or } }, { $match: { $expr: IS_LIVE_CLAIM } }, { $project: WINDOW_FIELDS }],
      NEWEST,
    )
    .toArray();
  return times.map(({ venueId, from, to }) => {
    const [fromMs, toMs] = [from.getTime(), to.getTime()];
    return windows.filter(
      (claim) => claim.venueId === venueId && claim.slotStart.getTime() < toMs && claim.slotEnd.getTime() > fromMs,
    );
  });
}, MAX_CALLS);

export type LiveClaim = Pick<
  Reservation,
  '_id' | 'bookingId' | 'partnerId' | 'resourceId' | 'slotId' | 'slotStart' | 'slotEnd'
>;

export const findLiveClaimsAtVenue = (db: Db, venueId: string, from: Date, to: Date): Promise<LiveClaim[]> =>
  findLiveClaims(db, venueId, from, to, {});

/** A claim in the day view of operators: its customer, and how long a hold has left by the database's clock. */
export type Occupancy = LiveClaim &
  Pick<Reservation, 'cells' | 'status'> & { customerName?: string | null; leftMs: number };

/** Like `findLiveClaimsAtVenue`, with cells, customers and the remaining time of holds. */
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
  const common = { bookingId: 1, partnerId: 1, resourceId: 1, slotId: 1, slotStart: 1, slotEnd: 1 };
  return reservationCollection(db)
    .aggregate<Claim>(
      [
        { $match: claimsAt(venueId, from, to) },
        { $match: { $expr: IS_LIVE_CLAIM } },
        { $sort: { slotStart: 1, _id: 1 } },
        { $project: { ...common, ...fields } },
      ],
      NEWEST,
    )
    .toArray();
}

const CLAIMANT_FIELDS = { cells: 1, status: 1, holdExpiresAt: 1, partnerId: 1 } as const;

/** A claim and its partner, which other partners must not see. */
export type Claimant = Pick<Reservation, '_id' | keyof typeof CLAIMANT_FIELDS>;

/** The claims on any of the cells, including overdue holds (status EXPIRED). Concurrent calls share the read. */
export const findClaimants = batchedByDb<readonly string[], Claimant[]>(async (db, calls) => {
  const allCells = [...new Set(calls.flat())];
  const claimants = await reservationCollection(db)
    .aggregate<Claimant>(
      [{ $match: { claimed: true, cells: { $in: allCells } } }, AS_SEEN_NOW, { $project: CLAIMANT_FIELDS }],
      NEWEST,
    )
    .toArray();
  const claimantOf = new Map(claimants.flatMap((each) => each.cells.map((cell) => [cell, each] as const)));
  return calls.map((cells) => [...new Set(cells.flatMap((cell) => claimantOf.get(cell) ?? []))]);
}, MAX_CALLS);

export type LiveWindow = Pick<Reservation, '_id' | 'slotStart' | 'slotEnd'>;

/** The live claims of a resource with a slot that has not ended, by the database's clock. */
export async function findLiveClaimsOfResource(db: Db, resourceId: string): Promise<LiveWindow[]> {
  const isToCome = { $gt: ['$slotEnd', '$$NOW'] };
  return reservationCollection(db)
    .find(
      { resourceId, claimed: true, $expr: { $and: [isToCome, IS_LIVE_CLAIM] } },
      { projection: { slotStart: 1, slotEnd: 1 }, ...NEWEST },
    )
    .toArray();
}
