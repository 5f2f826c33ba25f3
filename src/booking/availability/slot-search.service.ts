import { wallTimesIn } from '../../catalog/slots/price.rules.ts';
import type { SlotWindow } from '../../catalog/slots/schedule.rules.ts';
import type { SlotDeps } from '../../catalog/slots/slots.service.ts';
import { findGrantedRules, type VenueRules } from '../../catalog/slots/venue-rules.store.ts';
import { findVenueIdsWithSports, listSports } from '../../catalog/venues/resources.store.ts';
import { findActiveVenueCities } from '../../catalog/venues/venues.store.ts';
import { fieldError } from '../../domain/errors.ts';
import { venueNotAuthorized } from '../../partners/partners.service.ts';
import { listGrantedVenueIds } from '../../partners/partners.store.ts';
import { foldCase } from '../../platform/fold-case.rules.ts';
import type { Db } from '../../platform/mongo.ts';
import { type Page, type Position, toPage } from '../../platform/pagination.ts';
import { readFreeSlots } from './planned-slots.service.ts';
import type { PlannedSlot } from './slot-states.rules.ts';

/**
 * `date` is the operating date in each venue's zone; sport and city ignore case. Slots begin at or after `from` and
 * before `to`, wall times `HH:MM` at the venue; a `to` not after `from` is on the next date. Without `venueIds`, all
 * granted venues are searched.
 */
export type SlotSearch = {
  date: string;
  venueIds?: readonly string[];
  sport?: string;
  city?: string;
  from?: string;
  to?: string;
  after?: Position;
};

export type VenueFound = { venueId: string; free: PlannedSlot[] };

export const VENUES_OF_PAGE = 20;

/**
 * The slots that the partner can hold now, at up to 20 venues that match the search, by venue, resource and start. A
 * page may be empty although more pages follow. Makes at most five reads, plus those of uncached rules.
 * @throws DomainError VENUE_NOT_AUTHORIZED for a named venue that is missing or not granted; VALIDATION_ERROR for an
 * unknown sport
 */
export async function searchFreeSlots(
  deps: SlotDeps,
  partnerId: string,
  search: SlotSearch,
): Promise<Page<VenueFound>> {
  const { venueIds: named, after } = search;
  const granted = new Set(await listGrantedVenueIds(deps.db, partnerId));
  if (named?.some((id) => !granted.has(id)) === true) throw venueNotAuthorized();
  const fitting = await findFittingVenueIds(deps.db, named ?? [...granted], search);
  const left = fitting.filter((id) => after === undefined || id > after.id);
  const page = toPage(left.slice(0, VENUES_OF_PAGE + 1), VENUES_OF_PAGE, (id) => ({ at: new Date(0), id }));
  const rules = await Promise.all(page.rows.map((id) => findVenueRules(deps, partnerId, id, search)));
  // Search all venues concurrently: one batched read gets their claims.
  const isKnown = (each: VenueRules | null): each is VenueRules => each !== null;
  const rows = await Promise.all(rules.filter(isKnown).map((each) => searchVenue(deps, each, search)));
  return { rows, next: page.next };
}

/** The venues that are active, in the city, and have the sport; sorted. */
async function findFittingVenueIds(db: Db, venueIds: readonly string[], { sport, city }: SlotSearch) {
  const ofSport = sport === undefined ? venueIds : await findVenueIdsOfSport(db, venueIds, sport);
  const venues = await findActiveVenueCities(db, ofSport);
  return venues.filter((venue) => city === undefined || folded(venue.city) === folded(city)).map(({ _id }) => _id);
}

async function findVenueIdsOfSport(db: Db, venueIds: readonly string[], sport: string): Promise<string[]> {
  const sports = await listSports(db, venueIds);
  const spellings = sports.filter((each) => folded(each) === folded(sport));
  if (spellings.length > 0) return findVenueIdsWithSports(db, venueIds, spellings);
  if (sports.length === 0) return [];
  const message = `is not offered at these venues; they have ${sports.slice(0, MOST_NAMED).join(', ')}`;
  throw fieldError('sport', message);
}

const MOST_NAMED = 20;

const folded = (text: string): string => foldCase(text).trim();

/** The venue's rules; null if its grant has just been revoked. */
async function findVenueRules(deps: SlotDeps, partnerId: string, venueId: string, { venueIds }: SlotSearch) {
  const granted = await findGrantedRules(deps, partnerId, venueId);
  if (granted === null && venueIds !== undefined) throw venueNotAuthorized();
  return granted?.rules ?? null;
}

async function searchVenue(deps: SlotDeps, rules: VenueRules, search: SlotSearch): Promise<VenueFound> {
  const { sport, date } = search;
  const ofSport = rules.resources.filter(
    ({ sportCategory }) => sport === undefined || folded(sportCategory) === folded(sport),
  );
  const free = await readFreeSlots(deps, rules, ofSport, [date]);
  return { venueId: rules.venue._id, free: free.filter(isWithin(rules, search)) };
}

/** Compares wall times. If the range passes midnight, slots after midnight must only begin before `to`. */
function isWithin({ venue }: VenueRules, { date, from = MIDNIGHT, to }: SlotSearch): (slot: SlotWindow) => boolean {
  const wallTimeOf = wallTimesIn(venue.timeZone);
  const passesMidnight = to === undefined || to <= from;
  return ({ start }) => {
    const [day = '', time = ''] = wallTimeOf(start).split('T');
    const [isFrom, isBefore] = [time >= from, to === undefined || time < to];
    if (passesMidnight) return day > date ? isBefore : isFrom;
    return isFrom && isBefore;
  };
}

const MIDNIGHT = '00:00';
