import { LRUCache } from 'lru-cache';
import { onePer } from '../platform/coalesced.ts';
import { gathered } from '../platform/gathered.ts';
import { leasedCacheOf } from '../platform/leased-cache.ts';
import type { Db } from '../platform/mongo.ts';
import type { ClaimChange } from '../reservations/claim-changes.store.ts';
import { readClaimChanges } from '../reservations/claim-changes.store.ts';
import type { VenueTime } from '../reservations/claim-reads.store.ts';
import { findClaimedWindows } from '../reservations/claim-reads.store.ts';
import type { ClaimedWindow } from '../reservations/reservations.model.ts';

/** What is claimed at a venue on a day of UTC, of which the number is how many days it is after 1970 began. */
export type ClaimedDay = {
  readonly venueId: string;
  readonly number: number;
  /** By the id of the reservation. */
  readonly claims: ReadonlyMap<string, ClaimedWindow>;
  /** False as soon as it is known to have changed, or is not kept any more. */
  isCurrent: boolean;
};

export type ClaimedDays = {
  /** Whether days that are current are not a second behind the database. To be asked again for each use. */
  isFresh(): boolean;
  /** The days of a venue with what was claimed when this was called, or later; from memory where that is known to be so. */
  read(venueId: string, numbers: readonly number[]): Promise<readonly ClaimedDay[]>;
  /** What is in memory now; `bytes`: as estimated. */
  size(): { entries: number; bytes: number };
};

const DAY_MS = 86_400_000;
/** How many calls' days are read together. */
const MAX_CALLS = 50;
const MAX_BYTES = 8 * 1024 * 1024;
const BYTES_OF_DAY = 300;
const BYTES_OF_CLAIM = 400;
const BYTES_OF_CELL = 80;

/** The number of the UTC day of an instant. */
export const dayNumberOf = (instant: Date): number => Math.floor(instant.getTime() / DAY_MS);

type DaysWanted = { venueId: string; numbers: readonly number[] };

/** A load under way, and what has changed since it began. */
type Load = { changes: ClaimChange[]; isKeepable: boolean };

/**
 * What this process keeps in memory of claims. Its own writes drop what they change before they are answered, those of others within
 * a second, by the change stream; while that is late or broken the database is asked, and nothing is kept (ADR 0038).
 */
export const claimedDaysOf = onePer((db: Db): ClaimedDays => {
  const kept = createKeptDays();
  const loads = new Set<Load>();
  const stream = readClaimChanges(db, {
    onChanges: (changes) => {
      for (const load of loads) load.changes.push(...changes);
      for (const change of changes) kept.apply(change);
    },
    onGap: () => {
      for (const load of loads) load.isKeepable = false;
      kept.clear();
    },
  });

  // A primary that was deposed, and does not know it yet, has no news: only the lease tells.
  const isFresh = () => stream.isFresh() && leasedCacheOf(db).isLeased();
  const known = ({ venueId, numbers }: DaysWanted): (ClaimedDay | undefined)[] => {
    const areFresh = isFresh();
    return numbers.map((number) => (areFresh ? kept.get(venueId, number) : undefined));
  };
  const load = async (wanted: readonly DaysWanted[]): Promise<Map<string, ClaimedDay>> => {
    if (wanted.length === 0) return new Map();
    const underWay: Load = { changes: [], isKeepable: isFresh() };
    loads.add(underWay);
    try {
      const days = await findDays(db, wanted);
      for (const day of days.values()) {
        // Read in the middle of a change, it may be of before.
        if (underWay.isKeepable && !underWay.changes.some((change) => isBehind(day, change))) kept.set(day);
      }
      return days;
    } finally {
      loads.delete(underWay);
    }
  };
  // Days that are asked for at once are read at once; what others have read meanwhile is not read again.
  const readTogether = gathered<DaysWanted, readonly ClaimedDay[]>(async (calls) => {
    const found = calls.map(known);
    const missing = calls.map(({ venueId, numbers }, call) => ({
      venueId,
      numbers: numbers.filter((_, index) => found[call]?.[index] === undefined),
    }));
    const loaded = await load(missing.filter(({ numbers }) => numbers.length > 0));
    return calls.map(({ venueId, numbers }, call) =>
      numbers.flatMap((number, index) => found[call]?.[index] ?? loaded.get(keyOf(venueId, number)) ?? []),
    );
  }, MAX_CALLS);
  return {
    isFresh,
    read: async (venueId, numbers) => {
      const days = known({ venueId, numbers });
      return days.every((day) => day !== undefined) ? days : readTogether({ venueId, numbers });
    },
    size: kept.size,
  };
});

/** By their keys. */
async function findDays(db: Db, wanted: readonly DaysWanted[]): Promise<Map<string, ClaimedDay>> {
  const times = new Map<string, VenueTime>();
  const claimsOf = new Map<string, Map<string, ClaimedWindow>>();
  const days = new Map<string, ClaimedDay>();
  for (const { venueId, numbers } of wanted) {
    const [first, last] = [Math.min(...numbers), Math.max(...numbers)];
    const [from, to] = [new Date(first * DAY_MS), new Date((last + 1) * DAY_MS)];
    times.set(`${venueId} ${first} ${last}`, { venueId, from, to });
    for (const number of numbers) {
      const [key, claims] = [keyOf(venueId, number), new Map<string, ClaimedWindow>()];
      claimsOf.set(key, claims);
      days.set(key, { venueId, number, claims, isCurrent: false });
    }
  }
  for (const claim of await findClaimedWindows(db, [...times.values()])) {
    for (const number of dayNumbers(claim)) claimsOf.get(keyOf(claim.venueId, number))?.set(claim._id, claim);
  }
  return days;
}

const keyOf = (venueId: string, number: number): string => `${venueId} ${number}`;

function dayNumbers({ slotStart, slotEnd }: { slotStart: Date; slotEnd: Date }): number[] {
  const [first, end] = [dayNumberOf(slotStart), Math.ceil(slotEnd.getTime() / DAY_MS)];
  return Array.from({ length: Math.max(1, end - first) }, (_, n) => first + n);
}

/**
 * Whether the day is of before the change. One that has a claim is not of before that was inserted: changes come again, of one's own
 * writes from the stream too, and are not to drop what was read after them.
 */
function isBehind({ venueId, number, claims }: ClaimedDay, change: ClaimChange): boolean {
  const { reservationId, placed, status } = change;
  const claim = claims.get(reservationId);
  if (placed === undefined) return claim !== undefined && claim.status !== status;
  return claim === undefined && placed.venueId === venueId && dayNumbers(placed).includes(number);
}

/** The days in memory, the least recently used dropped first, and which of them have a claim. */
function createKeptDays() {
  const keysOf = new Map<string, string[]>();
  const days = new LRUCache<string, ClaimedDay>({
    maxSize: MAX_BYTES,
    sizeCalculation: sizeOf,
    dispose: (day, key) => {
      day.isCurrent = false;
      for (const id of day.claims.keys()) {
        const rest = (keysOf.get(id) ?? []).filter((each) => each !== key);
        if (rest.length === 0) keysOf.delete(id);
        else keysOf.set(id, rest);
      }
    },
  });
  const dropIfBehind = (key: string, change: ClaimChange): void => {
    const day = days.peek(key);
    if (day !== undefined && isBehind(day, change)) days.delete(key);
  };
  return {
    get: (venueId: string, number: number): ClaimedDay | undefined => days.get(keyOf(venueId, number)),
    set: (day: ClaimedDay): void => {
      const key = keyOf(day.venueId, day.number);
      days.delete(key);
      days.set(key, day);
      if (!days.has(key)) return;
      day.isCurrent = true;
      for (const id of day.claims.keys()) keysOf.set(id, [...(keysOf.get(id) ?? []), key]);
    },
    apply: (change: ClaimChange): void => {
      const { reservationId, placed } = change;
      const keys =
        placed === undefined
          ? keysOf.get(reservationId)
          : dayNumbers(placed).map((number) => keyOf(placed.venueId, number));
      for (const key of keys ?? []) dropIfBehind(key, change);
    },
    clear: () => days.clear(),
    size: () => ({ entries: days.size, bytes: days.calculatedSize }),
  };
}

function sizeOf({ claims }: ClaimedDay): number {
  let bytes = BYTES_OF_DAY + claims.size * BYTES_OF_CLAIM;
  for (const { sharedCells } of claims.values()) bytes += sharedCells.length * BYTES_OF_CELL;
  return bytes;
}
