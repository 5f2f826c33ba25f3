import type { Blackout } from '../blackouts/blackout.rules.ts';
import { blackedOutBy, isBlackedOut } from '../blackouts/blackout.rules.ts';
import { findBlackoutsAt } from '../blackouts/blackouts.service.ts';
import { DomainError } from '../domain/errors.ts';
import { venueNotAuthorized } from '../partners/partners.service.ts';
import { addDays, dayBounds, localDateOf } from '../platform/calendar.ts';
import type { Clock } from '../platform/clock.ts';
import type { Db } from '../platform/mongo.ts';
import { cellsOf, spacesOf } from '../reservations/cells.rules.ts';
import type { Claim } from '../reservations/reservation-reads.store.ts';
import { findClaimsAtVenue } from '../reservations/reservation-reads.store.ts';
import { pricesOf, wallTimesIn } from '../slots/price.rules.ts';
import type { OpeningHours, SlotWindow } from '../slots/schedule.rules.ts';
import { slotsOn } from '../slots/schedule.rules.ts';
import { slotIdOf } from '../slots/slot-id.rules.ts';
import { hoursOn } from '../venues/schedule.rules.ts';
import type { ResourceRow, VenueRow } from '../venues/venues.service.ts';
import { findGrantedVenue, findResourceById, resourcesOf } from '../venues/venues.service.ts';

export type AvailabilityDeps = { db: Db; clock: Clock; config: { bookingHorizonDays: number } };

/** Why a slot cannot be held; who has it is never told. */
export type UnavailableReason = 'held' | 'booked' | 'blackout' | 'past' | 'beyond_horizon' | 'inactive';

export type Slot = {
  slotId: string;
  /** The operating date. */
  date: string;
  resource: ResourceRow;
  start: Date;
  end: Date;
  pricePaise: number;
  unavailableReason: UnavailableReason | null;
};

/** The opening hours of a resource, as the schedule rules take them: its schedule, else the same hours on every day. */
export function openingsOf({ schedule, opensAt, closesAt }: ResourceRow): OpeningHours {
  return schedule === undefined ? [{ start: opensAt, end: closesAt }] : hoursOn(schedule);
}

/** The cells that a claim on this window of the resource fills. */
export function cellsOfWindow(resource: ResourceRow, window: SlotWindow): string[] {
  return cellsOf(spacesOf(resource._id, resource.sharesSpaceWith), window.start, window.end);
}

/**
 * Every slot of the venue's schedule on `dates` (calendar dates in the venue's zone), sorted by resource and start, each with
 * why it is not available. It promises nothing: only a hold does.
 * @throws DomainError VENUE_NOT_AUTHORIZED for a venue that is missing or not granted; RESOURCE_NOT_FOUND
 */
export async function readAvailability(
  deps: AvailabilityDeps,
  partnerId: string,
  query: { venueId: string; dates: readonly string[]; resourceId?: string },
): Promise<Slot[]> {
  const venue = await requireAuthorizedVenue(deps, partnerId, query.venueId);
  const resources =
    query.resourceId === undefined
      ? await resourcesOf(deps, venue)
      : [await requireResourceOf(deps, venue._id, query.resourceId)];
  return readSlots(deps, venue, resources, query.dates);
}

/** @throws DomainError VENUE_NOT_AUTHORIZED for a venue that is missing or not granted, in the same words. */
export async function requireAuthorizedVenue(
  deps: { db: Db },
  partnerId: string,
  venueId: string,
): Promise<VenueRow> {
  const venue = await findGrantedVenue(deps, partnerId, venueId);
  if (venue !== null) return venue;
  throw venueNotAuthorized();
}

/** @throws DomainError RESOURCE_NOT_FOUND for a resource that the venue does not have. */
export async function requireResourceOf(
  deps: { db: Db },
  venueId: string,
  resourceId: string,
): Promise<ResourceRow> {
  const resource = await findResourceById(deps, resourceId);
  if (resource === null || resource.venueId !== venueId) throw resourceNotFound();
  return resource;
}

function resourceNotFound(): DomainError {
  return new DomainError(
    'RESOURCE_NOT_FOUND',
    'The venue has no resource with that id. Copy resource_id from the listing of its resources.',
  );
}

/** The slots of `resources`, of the venue, on the given operating dates, by resource and start. Two queries. */
export async function readSlots(
  deps: AvailabilityDeps,
  venue: VenueRow,
  resources: readonly ResourceRow[],
  dates: readonly string[],
): Promise<Slot[]> {
  const windows = pricedWindows(venue, resources, dates);
  if (windows.length === 0) return [];
  const from = new Date(Math.min(...windows.map((window) => window.start.getTime())));
  const to = new Date(Math.max(...windows.map((window) => window.end.getTime())));
  const [claims, blackouts] = await Promise.all([
    findClaimsAtVenue(deps.db, venue._id, from, to),
    findBlackoutsAt(deps, venue._id, from, to),
  ]);
  const reasonByCell = indexClaims(claims);
  const sellable = sellableWindow(deps, venue);
  const isClosedOn = new Map(resources.map((each) => [each._id, blackedOutBy(each, blackouts)]));
  const claimOn = (resource: ResourceRow, window: SlotWindow) =>
    reasonByCell.size === 0 ? null : claimReason(cellsOfWindow(resource, window), reasonByCell);
  return windows
    .map(({ resource, date, start, end, pricePaise }) => ({
      slotId: slotIdOf(resource._id, start),
      date,
      resource,
      start,
      end,
      pricePaise,
      unavailableReason:
        reasonNotOnSale(venue, resource, { start, end }, sellable, isClosedOn.get(resource._id)) ??
        claimOn(resource, { start, end }),
    }))
    .sort((a, b) => compare(a.resource._id, b.resource._id) || a.start.getTime() - b.start.getTime());
}

/** The windows of the schedule on operating dates, with what each costs. */
export function pricedWindows(
  venue: VenueRow,
  resources: readonly ResourceRow[],
  dates: readonly string[],
): Omit<Slot, 'slotId' | 'unavailableReason'>[] {
  const wallTimeOf = wallTimesIn(venue.timeZone);
  return resources.flatMap((resource) => {
    const [openings, pricesOn] = [openingsOf(resource), pricesOf(resource, wallTimeOf)];
    return dates.flatMap((date) => {
      const priceOf = pricesOn(date);
      return slotsOn(date, openings, resource.durationMinutes, venue.timeZone).map(({ start, end }) => ({
        resource,
        date,
        start,
        end,
        pricePaise: priceOf(start),
      }));
    });
  });
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function indexClaims(claims: readonly Claim[]): Map<string, 'held' | 'booked'> {
  return new Map(
    claims.flatMap(({ cells, status }) => cells.map((cell) => [cell, reasonOf(status)] as const)),
  );
}

/** What a claim in this state is to somebody else. */
export function reasonOf(status: Claim['status']): 'held' | 'booked' {
  return status === 'BOOKED' ? 'booked' : 'held';
}

function claimReason(
  cells: readonly string[],
  reasonByCell: Map<string, 'held' | 'booked'>,
): 'held' | 'booked' | null {
  const reasons = cells.map((cell) => reasonByCell.get(cell));
  if (reasons.includes('booked')) return 'booked';
  return reasons.includes('held') ? 'held' : null;
}

/** The instants between which a slot must start to be sold now: from now to the end of the horizon's last local day. */
export function sellableWindow(
  deps: Omit<AvailabilityDeps, 'db'>,
  venue: VenueRow,
): { after: Date; before: Date } {
  return {
    after: deps.clock.now(),
    before: dayBounds(lastDateOnSale(deps, venue), venue.timeZone).end,
  };
}

/** The last date at the venue on which a slot may start to be sold now. */
export function lastDateOnSale(deps: Omit<AvailabilityDeps, 'db'>, venue: VenueRow): string {
  return addDays(localDateOf(deps.clock.now(), venue.timeZone), deps.config.bookingHorizonDays);
}

/** Why a window cannot be sold to any partner, whoever may have claimed it; `blackouts` are those of its time. */
export function unsellableReason(
  venue: VenueRow,
  resource: ResourceRow,
  window: SlotWindow,
  sellable: { after: Date; before: Date },
  blackouts: readonly Blackout[],
): UnavailableReason | null {
  return reasonNotOnSale(venue, resource, window, sellable, () => isBlackedOut(resource, window, blackouts));
}

function reasonNotOnSale(
  venue: VenueRow,
  resource: ResourceRow,
  window: SlotWindow,
  sellable: { after: Date; before: Date },
  isClosed: ((window: SlotWindow) => boolean) | undefined,
): UnavailableReason | null {
  if (venue.status !== 'active' || resource.status !== 'active') return 'inactive';
  if (window.start <= sellable.after) return 'past';
  if (window.start >= sellable.before) return 'beyond_horizon';
  return isClosed?.(window) === true ? 'blackout' : null;
}
