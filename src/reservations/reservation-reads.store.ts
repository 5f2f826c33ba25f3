import type { DuePage, DueQuery } from '../platform/backlog.store.ts';
import { findDuePage } from '../platform/backlog.store.ts';
import type { Db, Expression, ReadOptions } from '../platform/mongo.ts';
import { CONFIRMED, confirmAbsence, NEWEST } from '../platform/newest-reads.ts';
import { omitUndefined } from '../platform/omit-undefined.ts';
import type { Page, Position } from '../platform/pagination.ts';
import { beyond, toPage } from '../platform/pagination.ts';
import type { CustomerSearch } from './customer.rules.ts';
import { ALIVE, AS_SEEN_NOW } from './hold-expiry.rules.ts';
import type { Customer, Reservation } from './reservations.model.ts';
import { reservationCollection } from './reservations.model.ts';

/** Milliseconds until a live hold lapses, by the database's clock; 0 where it is no live hold. */
export async function findTimeLeftMs(db: Db, holdId: string): Promise<number> {
  const [row] = await reservationCollection(db)
    .aggregate<{ leftMs: number }>(
      [
        { $match: { _id: holdId, status: 'ACTIVE', $expr: ALIVE } },
        { $project: { leftMs: { $subtract: ['$holdExpiresAt', '$$NOW'] } } },
      ],
      NEWEST,
    )
    .toArray();
  return row?.leftMs ?? 0;
}

async function findOneAsSeen(db: Db, match: Expression, afterConflict: boolean): Promise<Reservation | null> {
  const read = async (options: ReadOptions) => {
    const [found] = await reservationCollection(db)
      .aggregate<Reservation>([{ $match: match }, { $limit: 1 }, AS_SEEN_NOW], options)
      .toArray();
    return found ?? null;
  };
  return afterConflict ? read(CONFIRMED) : confirmAbsence(read);
}

/**
 * The reservation as it is to be seen now: a lapsed hold reads EXPIRED. Null only where there is none, whatever was acknowledged just
 * now. `afterConflict`: the caller has just lost to a write and is to say why, so it must see that one.
 */
export async function findReservation(
  db: Db,
  reservationId: string,
  afterConflict = false,
): Promise<Reservation | null> {
  return findOneAsSeen(db, { _id: reservationId }, afterConflict);
}

/**
 * The same of the newest state, committed or about to be, and whether its partner has the grant for its venue: one round trip
 * (ADR 0024).
 */
export async function findReservationAndGrant(
  db: Db,
  reservationId: string,
): Promise<{ reservation: Reservation; isGranted: boolean } | null> {
  const grant = { from: 'grants', localField: 'grantId', foreignField: '_id', as: 'grants' };
  return confirmAbsence(async (options) => {
    const [row] = await reservationCollection(db)
      .aggregate<Reservation & { grantId: string; grants: unknown[] }>(
        [
          { $match: { _id: reservationId } },
          AS_SEEN_NOW,
          { $set: { grantId: GRANT_ID } },
          { $lookup: grant },
        ],
        options,
      )
      .toArray();
    if (row === undefined) return null;
    const { grantId: _, grants, ...reservation } = row;
    return { reservation, isGranted: grants.length > 0 };
  }, NEWEST);
}

/** As `grantIdOf` has it. */
const GRANT_ID = { $concat: ['$partnerId', ':', '$venueId'] };

/** The live holds of a partner at a venue, soonest expiry first, at most `limit`; the newest state, committed or about to be. */
export async function findLiveHoldsAtVenue(
  db: Db,
  { partnerId, venueId, limit }: { partnerId: string; venueId: string; limit: number },
): Promise<Pick<Reservation, '_id'>[]> {
  return reservationCollection(db)
    .aggregate<Pick<Reservation, '_id'>>(
      [
        { $match: { partnerId, status: 'ACTIVE', venueId, $expr: ALIVE } },
        { $sort: { holdExpiresAt: 1 } },
        { $limit: limit },
        { $project: { _id: 1 } },
      ],
      { ...NEWEST, hint: 'active_holds_of_partner' },
    )
    .toArray();
}

/** The reservation as it is to be seen now, by the id of its booking. */
export async function findReservationByBookingId(
  db: Db,
  bookingId: string,
  afterConflict = false,
): Promise<Reservation | null> {
  return findOneAsSeen(db, { bookingId }, afterConflict);
}

/** The namespaces of idempotency keys; those of a partner's begin at the partner. */
export type KeyNamespace = 'holdKey' | 'confirmKey' | 'endings.key' | 'operatorEndings.key';

/**
 * The reservation to which an idempotency key of the partner (null: of operators) belongs. `afterConflict`: the caller has just lost to a
 * write that may not be majority-committed yet, so the read waits until it is (or is not), lest a replay be missed.
 */
export async function findReservationByKey(
  db: Db,
  partnerId: string | null,
  namespace: KeyNamespace,
  key: string,
  afterConflict: boolean,
): Promise<Reservation | null> {
  return reservationCollection(db).findOne(
    { ...(partnerId === null ? {} : { partnerId }), [namespace]: key },
    afterConflict ? CONFIRMED : {},
  );
}

/** How a claim on cells is described to somebody else: never whose it is. */
export type Claim = Pick<Reservation, '_id' | 'cells' | 'status' | 'holdExpiresAt'>;

const CLAIM_FIELDS = { cells: 1, status: 1, holdExpiresAt: 1 };
const DAY_MS = 86_400_000;

/** The live claims at a venue that overlap [from, to); lapsed holds claim nothing. */
export async function findClaimsAtVenue(db: Db, venueId: string, from: Date, to: Date): Promise<Claim[]> {
  return reservationCollection(db)
    .aggregate<Claim>([...liveClaimsAt(venueId, from, to), { $project: CLAIM_FIELDS }])
    .toArray();
}

/** Of what is claimed: a booking, or a hold that has not lapsed. */
const IS_LIVE_CLAIM: Expression = { $or: [{ $ne: ['$status', 'ACTIVE'] }, ALIVE] };

function liveClaimsAt(venueId: string, from: Date, to: Date): Expression[] {
  // No slot is longer than a day, which bounds the range of the index.
  const earliest = new Date(from.getTime() - DAY_MS);
  return [
    { $match: { venueId, claimed: true, slotStart: { $gte: earliest, $lt: to }, slotEnd: { $gt: from } } },
    { $match: { $expr: IS_LIVE_CLAIM } },
  ];
}

/** A claim as operators are told of it. */
export type StandingClaim = Pick<
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
export async function findStandingClaimsAtVenue(
  db: Db,
  venueId: string,
  from: Date,
  to: Date,
): Promise<StandingClaim[]> {
  const fields = { ...WHOSE_AND_WHEN, placedAt: 1 };
  return reservationCollection(db)
    .aggregate<StandingClaim>(
      [...liveClaimsAt(venueId, from, to), { $sort: { slotStart: 1, _id: 1 } }, { $project: fields }],
      NEWEST,
    )
    .toArray();
}

/** A claim as operators see it on the day of a venue: whose it is, and how long a hold has left by the database's clock. */
export type Occupancy = Omit<StandingClaim, 'placedAt'> &
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

/** A claim with whose it is, which only that partner is told. */
export type Claimant = Claim & Pick<Reservation, 'partnerId'>;

/** Whoever claims any of `cells`, lapsed holds (status EXPIRED) included; the newest state, committed or about to be. */
export async function findClaimants(db: Db, cells: readonly string[]): Promise<Claimant[]> {
  return reservationCollection(db)
    .aggregate<Claimant>(
      [
        { $match: { claimed: true, cells: { $in: [...cells] } } },
        AS_SEEN_NOW,
        { $project: { ...CLAIM_FIELDS, partnerId: 1 } },
      ],
      NEWEST,
    )
    .toArray();
}

/** The ACTIVE holds of a partner, as the limit of them needs to know them. */
export type ActiveHolds = {
  /** How many are alive now. */
  live: number;
  /** Of those, how many have no ordinal. */
  unnumbered: number;
  /** Of all, the lapsed ones too. */
  ordinals: number[];
  /** Those that lapsed and that nobody has settled. */
  lapsedIds: string[];
};

/** The partner's ACTIVE holds; the newest state, committed or about to be. */
export async function findActiveHolds(db: Db, partnerId: string): Promise<ActiveHolds> {
  const countIf = (condition: Expression) => ({ $sum: { $cond: [condition, 1, 0] } });
  const isUnnumbered = { $eq: [{ $type: '$holdOrdinal' }, 'missing'] };
  const [active] = await reservationCollection(db)
    .aggregate<ActiveHolds>(
      [
        { $match: { partnerId, status: 'ACTIVE' } },
        {
          $group: {
            _id: null,
            live: countIf(ALIVE),
            unnumbered: countIf({ $and: [ALIVE, isUnnumbered] }),
            ordinals: { $push: '$holdOrdinal' },
            lapsedIds: { $push: { $cond: [ALIVE, '$$REMOVE', '$_id'] } },
          },
        },
      ],
      {
        // Without it the planner may walk every reservation that the partner ever made.
        hint: 'active_holds_of_partner',
        ...NEWEST,
      },
    )
    .toArray();
  return active ?? { live: 0, unnumbered: 0, ordinals: [], lapsedIds: [] };
}

/** A page of holds that lapsed at least `graceMs` ago and that nobody has settled, oldest first. */
export async function findLapsedHolds(db: Db, query: PageOfDue): Promise<DuePage> {
  const due = { field: 'holdExpiresAt', hint: 'active_holds', ...query };
  return findDuePage(reservationCollection(db), { status: 'ACTIVE' }, due);
}

/** A page of reservations whose outbox has not been empty for at least `graceMs`, oldest first. */
export async function findUndispatchedPage(db: Db, query: PageOfDue): Promise<DuePage> {
  const due = { field: 'outboxSince', hint: 'undispatched', ...query };
  return findDuePage(reservationCollection(db), { outboxSince: { $exists: true } }, due);
}

export type PageOfDue = Pick<DueQuery, 'graceMs' | 'limit' | 'from'>;

/** The customers of those of `ids` that became bookings. */
export async function findCustomers(db: Db, ids: readonly string[]): Promise<Map<string, Customer>> {
  const rows = await reservationCollection(db)
    .find({ _id: { $in: [...ids] } }, { projection: { customer: 1 } })
    .toArray();
  return new Map(rows.flatMap(({ _id, customer }) => (customer === undefined ? [] : [[_id, customer]])));
}

/** When a claim stands. */
export type StandingWindow = Pick<Reservation, '_id' | 'slotStart' | 'slotEnd'>;

/** Live claims of a resource that end after `now`, for making them cover ground that became shared. */
export async function findStandingClaims(db: Db, resourceId: string, now: Date): Promise<StandingWindow[]> {
  return reservationCollection(db)
    .find(
      { resourceId, claimed: true, slotEnd: { $gt: now }, $expr: IS_LIVE_CLAIM },
      { projection: { slotStart: 1, slotEnd: 1 }, ...NEWEST },
    )
    .toArray();
}

export type BookingFilter = {
  /** Absent: every partner's, walk-ins included. */
  partnerId?: string;
  holdId?: string;
  paymentReference?: string;
  venueId?: string;
  bookedFrom?: Date;
  /** Exclusive. */
  bookedBefore?: Date;
  status?: 'BOOKED' | 'CANCELLED' | 'REFUNDED';
  phoneE164?: string;
  namePrefixFolded?: string;
  search?: CustomerSearch;
  slotFrom?: Date;
  /** Exclusive. */
  slotBefore?: Date;
};

/** Bookings, newest `bookedAt` first, ties by booking id; what is written meanwhile moves no row over a page's edge. */
export async function listBookingRows(
  db: Db,
  filter: BookingFilter,
  after: Position | undefined,
  limit: number,
): Promise<Page<Reservation>> {
  const { namePrefixFolded: prefix } = filter;
  const slotStart = omitUndefined({ $gte: filter.slotFrom, $lt: filter.slotBefore });
  const match = omitUndefined({
    _id: filter.holdId,
    partnerId: filter.partnerId,
    paymentReference: filter.paymentReference,
    venueId: filter.venueId,
    status: filter.status,
    'customer.phoneE164': filter.phoneE164,
    'customer.nameFolded': prefix === undefined ? undefined : beginningWith(prefix),
    slotStart: Object.keys(slotStart).length === 0 ? undefined : slotStart,
    $and: filter.search === undefined ? undefined : matching(filter.search),
    bookedAt: { $exists: true, ...omitUndefined({ $gte: filter.bookedFrom, $lt: filter.bookedBefore }) },
    ...beyond(after, 'bookedAt', 'bookingId'),
  });
  const rows = await reservationCollection(db)
    .aggregate<Reservation>(
      [{ $match: match }, { $sort: { bookedAt: -1, bookingId: -1 } }, { $limit: limit + 1 }],
      filter.paymentReference === undefined ? {} : { hint: 'bookings_of_payment' },
    )
    .toArray();
  return toPage(rows, limit, (row) => ({ at: row.bookedAt ?? row.placedAt, id: row.bookingId ?? row._id }));
}

const beginningWith = (prefix: string) => ({ $gte: prefix, $lt: `${prefix}\u{10FFFF}` });

function matching(search: CustomerSearch): Expression[] {
  if ('id' in search) return [{ $or: [{ bookingId: search.id }, { _id: search.id }] }];
  if ('phoneReversed' in search) return [{ 'customer.phoneReversed': beginningWith(search.phoneReversed) }];
  // Both bounds of one element, else any two words on either side of them would do.
  return search.words.map((word) => ({ 'customer.nameWords': { $elemMatch: beginningWith(word) } }));
}
