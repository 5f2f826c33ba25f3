import { toRupees } from '../../domain/money.ts';
import { addDays, dayBounds, localDateOf, weekdayOf } from '../../platform/calendar.ts';
import type { ResourceRow } from '../venues/resources.service.ts';
import type { VenueRow } from '../venues/venues.service.ts';
import { pricesOf, wallTimesIn } from './price.rules.ts';
import { type OpeningHours, type ScheduledSlot, type SlotWindow, scheduledSlotAt, slotsOn } from './schedule.rules.ts';

const SLOT_ID = /^([a-z0-9-]+)_(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})Z$/;

/** `<resource_id>_<YYYYMMDDTHHmmZ>` in UTC, such as `koramangala-turf-a_20261121T0430Z`. */
export function slotIdOf(resourceId: string, start: Date): string {
  const digits = start.toISOString().replace(/[-:]/g, '').slice(0, -'SS.sssZ'.length);
  return `${resourceId}_${digits}Z`;
}

/**
 * The resource and start that a slot id names, without checking that they exist; undefined if `text` is not a slot id.
 */
export function parseSlotId(text: string): { resourceId: string; start: Date } | undefined {
  const [, resourceId, year, month, day, hour, minute] = SLOT_ID.exec(text) ?? [];
  if (resourceId === undefined) return undefined;
  const start = new Date(`${year}-${month}-${day}T${hour}:${minute}:00.000Z`);
  // `Date` reads 30 February as 2 March.
  const isReal = !Number.isNaN(start.getTime()) && slotIdOf(resourceId, start) === text;
  return isReal ? { resourceId, start } : undefined;
}

export type PricedSlot = ScheduledSlot & { pricePaise: number };

/** The slot that the resource's schedule has at `start`, if any. */
export function pricedSlotAt(venue: VenueRow, resource: ResourceRow, start: Date): PricedSlot | undefined {
  const slot = scheduledSlotAt(start, openingsOf(resource), resource.durationMinutes, venue.timeZone);
  if (slot === undefined) return undefined;
  return { ...slot, pricePaise: pricesOf(resource, slot.date, wallTimesIn(venue.timeZone))(slot.start) };
}

export type ListedSlot = PricedSlot & { slotId: string; resource: ResourceRow };

/** The slots of these resources on an operating date, by resource and start. */
export function slotsOfDate(venue: VenueRow, resources: readonly ResourceRow[], date: string): ListedSlot[] {
  const wallTimeOf = wallTimesIn(venue.timeZone);
  const windowsOf = windowsOn(date, venue.timeZone);
  return resources.flatMap((resource) => {
    const priceOf = pricesOf(resource, date, wallTimeOf);
    return windowsOf(resource).map(({ start, end, idEnding }) => ({
      resource,
      date,
      start,
      end,
      pricePaise: priceOf(start),
      slotId: resource._id + idEnding,
    }));
  });
}

/** The time from the first start to the last end; two invalid dates if there are no slots. */
export function spanOf(slots: readonly SlotWindow[]): { from: Date; to: Date } {
  let [from, to] = [Infinity, -Infinity];
  for (const { start, end } of slots) {
    from = Math.min(from, start.getTime());
    to = Math.max(to, end.getTime());
  }
  return { from: new Date(from), to: new Date(to) };
}

type Window = SlotWindow & { idEnding: string };

/** A function from resources to their windows on a date. Without schedules, equal hours and lengths share a list. */
function windowsOn(date: string, timeZone: string): (resource: ResourceRow) => readonly Window[] {
  const known = new Map<string, readonly Window[]>();
  return (resource) => {
    const { schedule, opensAt, closesAt, durationMinutes } = resource;
    const key = [durationMinutes, ...(schedule === undefined ? [opensAt, closesAt] : [resource._id])].join(' ');
    const windows =
      known.get(key) ??
      slotsOn(date, openingsOf(resource), durationMinutes, timeZone).map(({ start, end }) => ({
        start,
        end,
        idEnding: slotIdOf('', start),
      }));
    known.set(key, windows);
    return windows;
  };
}

/** The openings by the schedule's exceptions and weekdays; without a schedule, the operating hours. */
function openingsOf({ schedule, opensAt, closesAt }: ResourceRow): OpeningHours {
  if (schedule === undefined) return [{ start: opensAt, end: closesAt }];
  const exceptions = new Map(schedule.exceptions.map(({ date, hours }) => [date, hours]));
  return (date) => exceptions.get(date) ?? schedule.weekly[weekdayOf(date)];
}

export type UnsellableReason = 'blackout' | 'past' | 'beyond_horizon' | 'inactive';

/** The reason why a slot cannot be held. It does not tell who holds the slot. */
export type UnavailableReason = 'held' | 'booked' | UnsellableReason;

/** How other partners see a live claim. */
export function reasonOf(claim: { status: string }): 'held' | 'booked' {
  return claim.status === 'BOOKED' ? 'booked' : 'held';
}

/** The last date at the venue on which a slot on sale may start. */
export function lastDateOnSale(now: Date, bookingHorizonDays: number, timeZone: string): string {
  return addDays(localDateOf(now, timeZone), bookingHorizonDays);
}

/** Slots on sale start after `after` and before `before`. */
export type SalePeriod = { after: Date; before: Date };

export function salePeriodOf(now: Date, bookingHorizonDays: number, timeZone: string): SalePeriod {
  return { after: now, before: dayBounds(lastDateOnSale(now, bookingHorizonDays, timeZone), timeZone).end };
}

/** Why a window cannot be sold, regardless of claims; `isClosed` says whether a blackout closes it. */
export function unsellableReason(
  venue: VenueRow,
  resource: ResourceRow,
  window: SlotWindow,
  onSale: SalePeriod,
  isClosed: () => boolean,
): UnsellableReason | null {
  if (venue.status !== 'active' || resource.status !== 'active') return 'inactive';
  // Compare numbers: comparing Dates would convert them for each slot of a day.
  const startMs = window.start.getTime();
  if (startMs <= onSale.after.getTime()) return 'past';
  if (startMs >= onSale.before.getTime()) return 'beyond_horizon';
  return isClosed() ? 'blackout' : null;
}

/** A free slot, as partners see it. */
export function freeSlotView(slot: ListedSlot): Record<string, unknown> {
  return {
    slot_id: slot.slotId,
    resource_id: slot.resource._id,
    slot_start: slot.start.toISOString(),
    slot_end: slot.end.toISOString(),
    price_rupees: toRupees(slot.pricePaise),
    is_available: true,
  };
}
