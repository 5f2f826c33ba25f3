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
import type { PlannedSlot } from './planned-slots.rules.ts';
import { readFreeSlots } from './planned-slots.service.ts';

/**
 * `date` is the operating date in each venue's zone; sport and city ignore case. Slots begin at or after `from` and
 * before `to`: wall times `HH:MM` at the venue; if `to` is not after `from`, it is on the next date. Without
 * `venueIds`, all granted venues are searched.
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

type VenueFound = { venueId: string; free: PlannedSlot[] };

export const VENUES_PER_PAGE = 20;

/**
 * The slots that the partner can hold now, at up to 20 venues that match the search; sorted by venue, resource and
 * start. A page may be empty although more pages follow. Makes at most five reads, plus those of uncached rules.
 * @throws DomainError VENUE_NOT_AUTHORIZED for a venue of `venueIds` that is missing or not granted;
 *   VALIDATION_ERROR for a sport that none of the venues has
 */
export async function searchFreeSlots(
  deps: SlotDeps,
  partnerId: string,
  search: SlotSearch,
): Promise<Page<VenueFound>> {
  const { venueIds, after } = search;
  const granted = new Set(await listGrantedVenueIds(deps.db, partnerId));
  if (venueIds?.some((id) => !granted.has(id)) === true) throw venueNotAuthorized();
  const matchingIds = await findMatchingVenueIds(deps.db, venueIds ?? [...granted], search);
  const remainingIds = matchingIds.filter((id) => after === undefined || id > after.id);
  const page = toPage(remainingIds.slice(0, VENUES_PER_PAGE + 1), VENUES_PER_PAGE, (id) => ({ at: new Date(0), id }));
  const rules = await Promise.all(page.rows.map((id) => findVenueRules(deps, partnerId, id, search)));
  // Search all venues concurrently: one batched read gets their claims.
  const known = rules.filter((each) => each !== null);
  const rows = await Promise.all(known.map((each) => searchVenue(deps, each, search)));
  return { rows, next: page.next };
}

/** The sorted ids of the active venues that have the sport and are in the city. */
async function findMatchingVenueIds(db: Db, venueIds: readonly string[], { sport, city }: SlotSearch) {
  const idsOfSport = sport === undefined ? venueIds : await findVenueIdsOfSport(db, venueIds, sport);
  const venues = await findActiveVenueCities(db, idsOfSport);
  return venues.filter((venue) => city === undefined || folded(venue.city) === folded(city)).map(({ _id }) => _id);
}

async function findVenueIdsOfSport(db: Db, venueIds: readonly string[], sport: string): Promise<string[]> {
  const sports = await listSports(db, venueIds);
  const spellings = sports.filter((each) => folded(each) === folded(sport));
  if (spellings.length > 0) return findVenueIdsWithSports(db, venueIds, spellings);
  if (sports.length === 0) return [];
  const message = `is not offered at these venues; they have ${sports.slice(0, MAX_SPORTS_IN_MESSAGE).join(', ')}`;
  throw fieldError('sport', message);
}

const MAX_SPORTS_IN_MESSAGE = 20;

const folded = (text: string): string => foldCase(text).trim();

/** The venue's rules; null if its grant has just been revoked and the search does not name the venue. */
async function findVenueRules(deps: SlotDeps, partnerId: string, venueId: string, { venueIds }: SlotSearch) {
  const granted = await findGrantedRules(deps, partnerId, venueId);
  if (granted === null && venueIds !== undefined) throw venueNotAuthorized();
  return granted?.rules ?? null;
}

async function searchVenue(deps: SlotDeps, rules: VenueRules, search: SlotSearch): Promise<VenueFound> {
  const { sport, date } = search;
  const resources = rules.resources.filter(
    ({ sportCategory }) => sport === undefined || folded(sportCategory) === folded(sport),
  );
  const free = await readFreeSlots(deps, rules, resources, [date]);
  return { venueId: rules.venue._id, free: free.filter(isWithin(rules, search)) };
}

/** Compares wall times. In a range that passes midnight, slots after midnight need only begin before `to`. */
function isWithin({ venue }: VenueRules, { date, from = MIDNIGHT, to }: SlotSearch): (slot: SlotWindow) => boolean {
  const wallTimeOf = wallTimesIn(venue.timeZone);
  const passesMidnight = to === undefined || to <= from;
  return ({ start }) => {
    const [day = '', time = ''] = wallTimeOf(start).split('T');
    const [isAtOrAfterFrom, isBeforeTo] = [time >= from, to === undefined || time < to];
    if (passesMidnight) return day > date ? isBeforeTo : isAtOrAfterFrom;
    return isAtOrAfterFrom && isBeforeTo;
  };
}

const MIDNIGHT = '00:00';
