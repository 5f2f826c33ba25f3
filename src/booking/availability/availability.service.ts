import { LRUCache } from 'lru-cache';
import { requireVenueRules } from '../../catalog/slots/slot-targets.service.ts';
import type { SlotDeps } from '../../catalog/slots/slots.service.ts';
import type { VenueRules } from '../../catalog/slots/venue-rules.store.ts';
import { databaseClockOf } from '../../platform/clock.ts';
import { memoizeByObject } from '../../platform/memoize-by-object.ts';
import type { Db } from '../../platform/mongo.ts';
import { type PreparedJson, prepareJson } from '../../platform/prepared-json.ts';
import { singleFlightByKey } from '../../platform/single-flight.ts';
import { countClaimChanges } from '../../reservations/claim-changes.ts';
import { listSlots, planOf, type Validity } from './planned-slots.service.ts';
import type { ListedSlots } from './slots-json.rules.ts';

/** The inputs of a cached response. `claimChanges`: see `countClaimChanges`. `beganAt`: when reading began. */
export type Reading = { rules: VenueRules; claimChanges: number; beganAt: number };

/** How long a cached response may miss writes of other processes. */
const MAX_AGE_MS = 500;

export const beginReading = (db: Db, rules: VenueRules): Reading => ({
  rules,
  claimChanges: countClaimChanges(db, rules.venue._id),
  beganAt: performance.now(),
});

/**
 * Whether a cached response may be used: for half a second, unless this process saw rules or claims change (ADR 0008).
 */
export const isRecent = (db: Db, rules: VenueRules, reading: Reading): boolean =>
  reading.rules === rules &&
  reading.claimChanges === countClaimChanges(db, rules.venue._id) &&
  performance.now() - reading.beganAt < MAX_AGE_MS;

/** `dates` are operating dates in the venue's zone; without `resourceId`, all resources are read. */
export type AvailabilityQuery = { venueId: string; dates: readonly string[]; resourceId: string | undefined };

/** Renders the slots of the dates as the JSON of the response. Equal queries with the same name share a cache entry. */
export type Rendering = { name: string; render: (days: readonly ListedSlots[]) => string };

type CacheEntry = { json: PreparedJson; reading: Reading; valid: Validity };

const MAX_BYTES = 16 * 1024 * 1024;

const cacheOf = memoizeByObject((_db: Db) => ({
  responses: new LRUCache<string, CacheEntry>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ json }) => json.bytes.length * 2,
  }),
  shared: singleFlightByKey<PreparedJson>(),
  reads: { memory: 0, made: 0 },
}));

/** The size of this process's cache, and how many responses were cached or computed. */
export function availabilityInMemory(db: Db) {
  const { responses, reads } = cacheOf(db);
  return { entries: responses.size, bytes: responses.calculatedSize, reads: { ...reads } };
}

/**
 * The rendered JSON of every slot of the venue's schedule on the dates, by resource and start, with the reason if it is
 * not available. Callers within half a second share a response (ADR 0008). Only a hold reserves a slot.
 * @throws DomainError VENUE_NOT_AUTHORIZED for a venue that is missing or not granted; RESOURCE_NOT_FOUND
 */
export async function readAvailability(
  deps: SlotDeps,
  partnerId: string,
  query: AvailabilityQuery,
  { name, render }: Rendering,
): Promise<PreparedJson> {
  const { venueId, dates, resourceId } = query;
  const { rules, resource } = await requireVenueRules(deps, partnerId, venueId, resourceId);
  const { responses, shared, reads } = cacheOf(deps.db);
  const key = [name, venueId, dates[0], dates.length, resourceId ?? ''].join(' ');
  const cached = (): PreparedJson | undefined => {
    const known = responses.get(key);
    if (known === undefined || !isRecent(deps.db, rules, known.reading) || !isValidNow(deps, known)) return undefined;
    reads.memory += 1;
    return known.json;
  };
  const make = async (): Promise<PreparedJson> => {
    reads.made += 1;
    const reading = beginReading(deps.db, rules);
    const plans = dates.map((date) => planOf(deps, rules, date, resource));
    const { listed, valid } = await listSlots(deps, rules, plans);
    const json = prepareJson(render(listed));
    responses.set(key, { json, reading, valid });
    return json;
  };
  return cached() ?? shared(key, async () => cached() ?? make());
}

function isValidNow({ db, clock }: SlotDeps, { valid }: CacheEntry): boolean {
  const [now, nowByDatabase] = [clock.now().getTime(), databaseClockOf(db).now().getTime()];
  return (
    valid.from <= now &&
    now < valid.until &&
    valid.fromByDatabase <= nowByDatabase &&
    nowByDatabase < valid.untilByDatabase
  );
}
