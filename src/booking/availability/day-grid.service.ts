import { closes } from '../../catalog/blackouts/blackout.rules.ts';
import type { BlackoutRow } from '../../catalog/blackouts/blackouts.service.ts';
import { findBlackouts } from '../../catalog/blackouts/blackouts.store.ts';
import {
  type ListedSlot,
  pricedSlotAt,
  salePeriodOf,
  slotsOfDate,
  spanOf,
  unsellableReason,
} from '../../catalog/slots/slot.rules.ts';
import type { SlotDeps } from '../../catalog/slots/slots.service.ts';
import type { ResourceRow } from '../../catalog/venues/resources.service.ts';
import { listResourceRows } from '../../catalog/venues/resources.store.ts';
import { getVenue, type VenueRow } from '../../catalog/venues/venues.service.ts';
import { PLATFORM_PARTNER_ID } from '../../domain/change-origin.ts';
import { dayBounds, localDateOf } from '../../platform/calendar.ts';
import { cellsOfWindow } from '../../reservations/cells.rules.ts';
import { findOccupancyAtVenue, type Occupancy } from '../../reservations/claim-reads.store.ts';

/** A hold or booking in a slot. `secondsLeft`: until the hold expires, by the database's clock; null for bookings. */
type Occupant = Pick<Occupancy, 'bookingId' | 'partnerId' | 'resourceId' | 'slotId' | 'slotStart' | 'slotEnd'> & {
  holdId: string;
  kind: 'held' | 'booked' | 'walk-in';
  customerName: string | null;
  secondsLeft: number | null;
};

/** `shared`: a claim on another resource fills the space that this resource shares. */
type CellState = Occupant['kind'] | 'shared' | 'free' | 'blackout' | 'past' | 'beyond_horizon' | 'inactive';

/** A table cell with a slot; `state` is `free` exactly if availability lists the slot as available. */
export type GridCell = ListedSlot & {
  state: CellState;
  /** The claims on this resource or, without any, the claims on resources that share its space. */
  occupants: Occupant[];
  blackouts: BlackoutRow[];
  takesWalkIn: boolean;
};

export type DayColumn = { resource: ResourceRow; sharesWith: ResourceRow[]; cells: GridCell[] };

/** `offSchedule`: claims of this day with times that the schedule does not have, for example after a change. */
export type DayGrid = {
  venue: VenueRow;
  date: string;
  now: Date;
  columns: DayColumn[];
  offSchedule: (Occupant & { resource: ResourceRow })[];
};

/** A day of a venue: every slot, and who holds it or why it is closed. @throws DomainError VENUE_NOT_FOUND */
export async function readDayGrid(deps: SlotDeps, venueId: string, date: string): Promise<DayGrid> {
  const venue = await getVenue(deps, venueId);
  const resources = await listResourceRows(deps.db, venueId);
  const slots = slotsOfDate(venue, resources, date);
  const { from, to } = spanOf([dayBounds(date, venue.timeZone), ...slots]);
  const [claims, blackouts] = await Promise.all([
    findOccupancyAtVenue(deps.db, venue._id, from, to),
    findBlackouts(deps.db, venue._id, from, to),
  ]);
  const toCell = gridCellMaker(deps, venue, claims, blackouts);
  const cells = slots.map(toCell);
  const columns = resources.map((resource) => ({
    resource,
    sharesWith: resources.filter(({ _id }) => resource.sharesSpaceWith.includes(_id)),
    cells: cells
      .filter((cell) => cell.resource._id === resource._id)
      .sort((a, b) => a.start.getTime() - b.start.getTime()),
  }));
  const offSchedule = claims.flatMap((claim) => {
    const resource = resources.find(({ _id }) => _id === claim.resourceId);
    return resource !== undefined && isOffSchedule(venue, resource, claim, date)
      ? [{ ...occupantOf(claim), resource }]
      : [];
  });
  return { venue, date, now: deps.clock.now(), columns, offSchedule };
}

function gridCellMaker(
  deps: SlotDeps,
  venue: VenueRow,
  claims: readonly Occupancy[],
  blackouts: readonly BlackoutRow[],
) {
  const claimByCell = new Map(claims.flatMap((claim) => claim.cells.map((cell) => [cell, claim] as const)));
  const onSale = salePeriodOf(deps.clock.now(), deps.config.bookingHorizonDays, venue.timeZone);
  return (slot: ListedSlot): GridCell => {
    const { resource } = slot;
    const claimsHere = [...new Set(cellsOfWindow(resource, slot).flatMap((cell) => claimByCell.get(cell) ?? []))];
    const own = claimsHere.filter(({ resourceId }) => resourceId === resource._id);
    const occupants = (own.length > 0 ? own : claimsHere).map(occupantOf);
    const closingBlackouts = blackouts.filter((blackout) => closes(blackout, resource, slot));
    const unsellable = unsellableReason(venue, resource, slot, onSale, () => closingBlackouts.length > 0);
    const isTaken = occupants.some(({ kind }) => kind !== 'held');
    return {
      ...slot,
      state: own.length > 0 ? kindOf(occupants) : claimsHere.length > 0 ? 'shared' : (unsellable ?? 'free'),
      occupants,
      blackouts: closingBlackouts,
      takesWalkIn:
        !isTaken &&
        closingBlackouts.length === 0 &&
        slot.end > onSale.after &&
        (unsellable === null || unsellable === 'past'),
    };
  };
}

function occupantOf({ _id, cells: _cells, status, customerName, leftMs, ...claim }: Occupancy): Occupant {
  const isBooked = status === 'BOOKED';
  return {
    ...claim,
    holdId: _id,
    kind: isBooked ? (claim.partnerId === PLATFORM_PARTNER_ID ? 'walk-in' : 'booked') : 'held',
    customerName: customerName ?? null,
    secondsLeft: isBooked ? null : Math.max(0, Math.ceil(leftMs / 1000)),
  };
}

/** The state of a slot with several claims: a booking comes first, then a walk-in, then a hold. */
function kindOf(occupants: readonly Occupant[]): Occupant['kind'] {
  const kinds = occupants.map(({ kind }) => kind);
  if (kinds.includes('booked')) return 'booked';
  return kinds.includes('walk-in') ? 'walk-in' : 'held';
}

/** Whether a claim begins on this date, with times that the schedule does not have. */
function isOffSchedule(venue: VenueRow, resource: ResourceRow, { slotStart, slotEnd }: Occupancy, date: string) {
  if (localDateOf(slotStart, venue.timeZone) !== date) return false;
  return pricedSlotAt(venue, resource, slotStart)?.end.getTime() !== slotEnd.getTime();
}
