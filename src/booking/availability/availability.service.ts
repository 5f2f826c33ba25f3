import { LRUCache } from 'lru-cache';
import { salePeriodOf, spanOf } from '../../catalog/slots/slot.rules.ts';
import { confirmingRejections, requireResourceIn } from '../../catalog/slots/slot-targets.service.ts';
import type { SlotDeps } from '../../catalog/slots/slots.service.ts';
import { findGrantedRules, type VenueRules } from '../../catalog/slots/venue-rules.store.ts';
import type { ResourceRow } from '../../catalog/venues/resources.service.ts';
import { venueNotAuthorized } from '../../partners/partners.service.ts';
import { dayBounds, localDateOf } from '../../platform/calendar.ts';
import { databaseClockOf } from '../../platform/clock.ts';
import { memoizeByObject } from '../../platform/memoize-by-object.ts';
import type { Db } from '../../platform/mongo.ts';
import { type PreparedJson, prepareJson } from '../../platform/prepared-json.ts';
import { singleFlightByKey } from '../../platform/single-flight.ts';
import { countClaimChanges } from '../../reservations/claim-changes.ts';
import { findClaimedWindows } from '../../reservations/claim-reads.store.ts';
import { type Plan, type PlannedSlot, planOf } from './planned-slots.service.ts';
import { indexClaims, nextLapse, nextStart, reasonAt } from './slot-states.rules.ts';
import type { ListedSlots } from './slots-json.rules.ts';

/**
 * The inputs of a cached response: the venue's rules, its number of claim changes in this process, and when they were
 * read.
 */
export type Reading = { rules: VenueRules; claimChanges: number; beganAt: number };

/** How stale a cached response may be for writes of other processes. */
const MAX_AGE_MS = 500;

export const beginReading = (db: Db, rules: VenueRules): Reading => ({
  rules,
  claimChanges: countClaimChanges(db, rules.venue._id),
  beganAt: performance.now(),
});

/** Whether a response may be used again: for half a second, unless rules or claims changed here (ADR 0008). */
export const isRecent = (db: Db, rules: VenueRules, reading: Reading): boolean =>
  reading.rules === rules &&
  reading.claimChanges === countClaimChanges(db, rules.venue._id) &&
  performance.now() - reading.beganAt < MAX_AGE_MS;

/** `dates` are operating dates in the venue's zone; without `resourceId`, all resources. */
export type AvailabilityQuery = { venueId: string; dates: readonly string[]; resourceId?: string };

/** Renders the slots of the dates as the JSON of the response. Equal queries with the same name share a cache entry. */
export type Rendering = { name: string; render: (days: readonly ListedSlots[]) => string };

type CacheEntry = {
  json: PreparedJson;
  reading: Reading;
  /** The period in which time alone changes nothing, by both clocks; the second instant is excluded. */
  valid: { from: number; until: number; fromByDatabase: number; untilByDatabase: number };
};

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
 * Every slot of the venue's schedule on the dates, by resource and start, with why it is not available, as rendered
 * JSON. Callers within half a second share a response (ADR 0008). It promises nothing: only a hold does.
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

/** The slots of these resources that can be held now, by date, resource and start. One query. */
export async function readFreeSlots(
  deps: SlotDeps,
  rules: VenueRules,
  resources: readonly ResourceRow[],
  dates: readonly string[],
): Promise<PlannedSlot[]> {
  const wanted = new Set(resources);
  const plans = dates.map((date) => planOf(deps, rules, date).filter(({ resource }) => wanted.has(resource)));
  const { listed } = await listSlots(deps, rules, plans);
  return listed.flatMap(({ slots, reasons }) => slots.filter((_, index) => reasons[index] === null));
}

/**
 * The rules of a venue named by a partner, and the resource that it names there.
 * @throws DomainError VENUE_NOT_AUTHORIZED for a venue that is missing or not granted (same message);
 *   RESOURCE_NOT_FOUND
 */
export async function requireVenueRules(
  deps: { db: Db },
  partnerId: string,
  venueId: string,
  resourceId?: string,
): Promise<{ rules: VenueRules; resource: ResourceRow | undefined }> {
  return confirmingRejections(async (from) => {
    const granted = await findGrantedRules(deps, partnerId, venueId, from);
    if (granted === null) throw venueNotAuthorized();
    const { rules } = granted;
    return { rules, resource: resourceId === undefined ? undefined : requireResourceIn(rules, resourceId) };
  });
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

/** The slots of each plan with their state, and the instant at which time alone next changes one. */
async function listSlots(
  { db, clock, config }: SlotDeps,
  { venue }: VenueRules,
  plans: readonly Plan[],
): Promise<{ listed: ListedSlots[]; valid: CacheEntry['valid'] }> {
  const slots = plans.flat();
  const claims = slots.length === 0 ? [] : await findClaimedWindows(db, { venueId: venue._id, ...spanOf(slots) });
  const [now, nowByDatabase] = [clock.now(), databaseClockOf(db).now()];
  const onSale = salePeriodOf(now, config.bookingHorizonDays, venue.timeZone);
  // The end of the sale stays the same until the end of the venue's day.
  const { end: until } = dayBounds(localDateOf(now, venue.timeZone), venue.timeZone);
  const index = indexClaims(claims);
  const moment = { onSale, now: nowByDatabase };
  return {
    listed: plans.map((plan) => ({
      slots: plan,
      reasons: plan.map((slot) => reasonAt(venue, slot, index, moment)),
    })),
    valid: {
      from: now.getTime(),
      until: Math.min(until.getTime(), ...plans.map((plan) => nextStart(plan, now))),
      fromByDatabase: nowByDatabase.getTime(),
      untilByDatabase: nextLapse(claims, nowByDatabase),
    },
  };
}
