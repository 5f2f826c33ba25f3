import { LRUCache } from 'lru-cache';
import { databaseClockOf } from '../platform/clock.ts';
import { onePer } from '../platform/coalesced.ts';
import type { Db } from '../platform/mongo.ts';
import type { PreparedJson } from '../platform/prepared-json.ts';
import { prepareJson } from '../platform/prepared-json.ts';
import type { SlotDeps } from '../slots/slots.service.ts';
import type { VenueRules } from '../slots/venue-rules.service.ts';
import { requireResourceIn, requireVenueRules } from '../slots/venue-rules.service.ts';
import type { ResourceRow } from '../venues/venues.service.ts';
import type { ClaimedDay } from './claimed-days.service.ts';
import { claimedDaysOf } from './claimed-days.service.ts';
import type { Plan, PlannedSlot } from './planned-slots.service.ts';
import { planOf } from './planned-slots.service.ts';
import { salePeriodAt } from './sale-period.service.ts';
import { indexClaims, nextLapse, nextStart, reasonAt } from './slot-states.rules.ts';
import type { ListedPlan } from './slots-json.rules.ts';

/** What is asked for: the operating dates, calendar dates in the venue's zone, and of which resource, where not of all. */
export type AvailabilityQuery = { venueId: string; dates: readonly string[]; resourceId?: string };

/** How the slots of the dates, in their order, become the response; by its name the same for equal queries. */
export type Rendering = { name: string; render: (days: readonly ListedPlan[]) => string };

/** A response with all that it was made of. */
type Ready = {
  json: PreparedJson;
  rules: VenueRules;
  days: readonly ClaimedDay[];
  /** By the clock of the process and by the database's; from the first of each, and before the second, the time changes nothing. */
  valid: { from: number; until: number; fromByDatabase: number; untilByDatabase: number };
};

const MAX_BYTES = 16 * 1024 * 1024;

const readyOf = onePer((_db: Db) => ({
  responses: new LRUCache<string, Ready>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ json }) => json.bytes.length * 2,
  }),
  reads: { memory: 0, made: 0 },
}));

/** What this process keeps of availability, and how many responses it has sent from memory, and how many it had to make. */
export function availabilityInMemory(db: Db) {
  const { responses, reads } = readyOf(db);
  const { entries, bytes } = claimedDaysOf(db).size();
  return {
    entries: entries + responses.size,
    bytes: bytes + responses.calculatedSize,
    reads: { ...reads },
  };
}

/**
 * Every slot of the venue's schedule on the dates, sorted by resource and start, each with why it is not available, as the response
 * that says so: made once for all who ask until something of it changes (ADR 0038). It promises nothing: only a hold does.
 * @throws DomainError VENUE_NOT_AUTHORIZED for a venue that is missing or not granted; RESOURCE_NOT_FOUND
 */
export async function readAvailability(
  deps: SlotDeps,
  partnerId: string,
  query: AvailabilityQuery,
  { name, render }: Rendering,
): Promise<PreparedJson> {
  const granted = await requireVenueRules(deps, partnerId, query.venueId);
  const { rules, resource } =
    query.resourceId === undefined
      ? { rules: granted, resource: undefined }
      : await requireResourceIn(deps, granted, query.resourceId);
  const claimedDays = claimedDaysOf(deps.db);
  const { responses, reads } = readyOf(deps.db);
  const key = [name, query.venueId, query.dates[0], query.dates.length, query.resourceId ?? ''].join(' ');
  const isAsKnown = (known: Ready | undefined): known is Ready =>
    known?.rules === rules && isValidNow(deps, known);
  const known = responses.get(key);
  if (isAsKnown(known) && claimedDays.isFresh() && known.days.every(({ isCurrent }) => isCurrent)) {
    reads.memory += 1;
    return known.json;
  }
  reads.made += 1;

  const plans = query.dates.map((date) => planOf(deps, rules, date, resource));
  const days = await claimedDays.read(query.venueId, dayNumbersOf(plans));
  // Others who waited for the same days may have made it meanwhile.
  const made = responses.get(key);
  if (isAsKnown(made) && isSame(made.days, days)) return made.json;
  const { listed, valid } = listSlots(deps, rules, plans, days);
  const json = prepareJson(render(listed));
  responses.set(key, { json, rules, days, valid });
  return json;
}

/** The slots of these resources of a venue on operating dates that can be held now, by date, resource and start. At most one query. */
export async function readFreeSlots(
  deps: SlotDeps,
  rules: VenueRules,
  resources: readonly ResourceRow[],
  dates: readonly string[],
): Promise<PlannedSlot[]> {
  const wanted = new Set(resources);
  const plans = dates
    .map((date) => planOf(deps, rules, date))
    .map((plan) => ({ ...plan, slots: plan.slots.filter(({ resource }) => wanted.has(resource)) }));
  const days = await claimedDaysOf(deps.db).read(rules.venue._id, dayNumbersOf(plans));
  const { listed } = listSlots(deps, rules, plans, days);
  return listed.flatMap(({ plan, reasons }) => plan.slots.filter((_, index) => reasons[index] === null));
}

/** Every slot of a venue on an operating date as it is now. At most one query. */
export async function listDay(deps: SlotDeps, rules: VenueRules, date: string): Promise<ListedPlan> {
  const plan = planOf(deps, rules, date);
  const days = await claimedDaysOf(deps.db).read(rules.venue._id, dayNumbersOf([plan]));
  const { listed } = listSlots(deps, rules, [plan], days);
  return listed[0] ?? { plan, reasons: [] };
}

function isValidNow({ db, clock }: SlotDeps, { valid }: Ready): boolean {
  const [now, nowByDatabase] = [clock.now().getTime(), databaseClockOf(db).now().getTime()];
  return (
    valid.from <= now &&
    now < valid.until &&
    valid.fromByDatabase <= nowByDatabase &&
    nowByDatabase < valid.untilByDatabase
  );
}

const isSame = (days: readonly ClaimedDay[], others: readonly ClaimedDay[]): boolean =>
  days.length === others.length && days.every((day, index) => day === others[index]);

const dayNumbersOf = (plans: readonly Plan[]): number[] =>
  [...new Set(plans.flatMap(({ dayNumbers }) => dayNumbers))].sort((a, b) => a - b);

/** The slots of each plan as they are now, and until when the time alone changes none of them. */
function listSlots(
  { db, clock, config }: SlotDeps,
  { venue }: VenueRules,
  plans: readonly Plan[],
  days: readonly ClaimedDay[],
): { listed: ListedPlan[]; valid: Ready['valid'] } {
  const [now, nowByDatabase] = [clock.now(), databaseClockOf(db).now()];
  const { onSale, until } = salePeriodAt(now, config.bookingHorizonDays, venue.timeZone);
  const claims = new Map(days.flatMap((day) => [...day.claims]));
  const index = indexClaims(claims.values());
  const moment = { onSale, now: nowByDatabase };
  return {
    listed: plans.map((plan) => ({
      plan,
      reasons: plan.slots.map((slot) => reasonAt(venue, slot, index, moment)),
    })),
    valid: {
      from: now.getTime(),
      until: Math.min(until.getTime(), ...plans.map(({ slots }) => nextStart(slots, now))),
      fromByDatabase: nowByDatabase.getTime(),
      untilByDatabase: nextLapse(claims.values(), nowByDatabase),
    },
  };
}
