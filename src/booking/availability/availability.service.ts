import { LRUCache } from 'lru-cache';
import { requireVenueRules } from '../../catalog/slots/slot-targets.service.ts';
import type { SlotDeps } from '../../catalog/slots/slots.service.ts';
import type { VenueRules } from '../../catalog/slots/venue-rules.store.ts';
import { databaseClockOf } from '../../platform/clock.ts';
import { memoizeByObject } from '../../platform/memoize-by-object.ts';
import type { Db } from '../../platform/mongo.ts';
import { PreparedJson } from '../../platform/prepared-json.ts';
import { singleFlightByKey } from '../../platform/single-flight.ts';
import { countClaimChanges } from '../../reservations/claim-changes.ts';
import type { ListedSlots } from './planned-slots.rules.ts';
import { listSlots, planOf, type Validity } from './planned-slots.service.ts';

/** The rules of a cached response, and the result of `countClaimChanges` and the time when its read began. */
export type Reading = { rules: VenueRules; claimChanges: number; beganAtMs: number };

/** How long a cached response may miss writes of other processes. */
const MAX_AGE_MS = 500;

export const beginReading = (db: Db, rules: VenueRules): Reading => ({
  rules,
  claimChanges: countClaimChanges(db, rules.venue._id),
  beganAtMs: performance.now(),
});

/**
 * Whether a cached response may be used: for half a second, unless this process saw rules or claims change (ADR 0008).
 */
export const isRecent = (db: Db, rules: VenueRules, reading: Reading): boolean =>
  reading.rules === rules &&
  reading.claimChanges === countClaimChanges(db, rules.venue._id) &&
  performance.now() - reading.beganAtMs < MAX_AGE_MS;

/** `dates` are operating dates in the venue's zone; without `resourceId`, all resources are read. */
type AvailabilityQuery = { venueId: string; dates: readonly string[]; resourceId: string | undefined };

/** Renders the slots of the dates as the JSON of the response. `name` is part of the cache key. */
type Rendering = { name: string; render: (days: readonly ListedSlots[]) => string };

type CacheEntry = { json: PreparedJson; reading: Reading; valid: Validity };

const cacheOf = memoizeByObject((_db: Db) => ({
  responses: new LRUCache<string, CacheEntry>({
    maxSize: 16 * 1024 * 1024,
    sizeCalculation: ({ json }) => json.bytes.length * 2,
  }),
  singleFlight: singleFlightByKey<PreparedJson>(),
  reads: { cached: 0, computed: 0 },
}));

/** The size of this process's cache, and how many responses came from it or were computed. */
export function availabilityCacheFigures(db: Db) {
  const { responses, reads } = cacheOf(db);
  return { entries: responses.size, bytes: responses.calculatedSize, reads: { ...reads } };
}

/**
 * The rendered JSON of every slot of the venue's schedule on the dates, by resource and start. A slot that is not
 * available has its reason. Callers within half a second share a response (ADR 0008). Only a hold reserves a slot.
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
  const { responses, singleFlight, reads } = cacheOf(deps.db);
  const key = [name, venueId, dates[0], dates.length, resourceId ?? ''].join(' ');
  const findCached = (): PreparedJson | undefined => {
    const entry = responses.get(key);
    if (entry === undefined || !isRecent(deps.db, rules, entry.reading) || !isValidNow(deps, entry)) return undefined;
    reads.cached += 1;
    return entry.json;
  };
  const compute = async (): Promise<PreparedJson> => {
    reads.computed += 1;
    const reading = beginReading(deps.db, rules);
    const plans = dates.map((date) => planOf(deps, rules, date, resource));
    const { listed, valid } = await listSlots(deps, rules, plans);
    const json = new PreparedJson(render(listed));
    responses.set(key, { json, reading, valid });
    return json;
  };
  return findCached() ?? singleFlight(key, async () => findCached() ?? compute());
}

function isValidNow({ db, clock }: SlotDeps, { valid }: CacheEntry): boolean {
  return clock.now().getTime() < valid.untilMs && databaseClockOf(db).now().getTime() < valid.untilByDatabaseMs;
}
