/** Looks for slots to sell, from a few days ahead on. */

import { field, fieldText } from '../embedded/api-caller.ts';
import type { StepContext } from './step-context.ts';
import type { Venue } from './venue-step.ts';

const firstDay = 3;
/** Inside the booking horizon of 90 days. */
const lastDay = 80;
const dayMs = 24 * 60 * 60 * 1000;

export type Slot = {
  /** The date at the venue under which availability lists it. */
  date: string;
  slotId: string;
  resourceId: string;
  slotStart: string;
  slotEnd: string;
  priceRupees: number;
};

/**
 * The slots that availability shows as free, date by date from three days ahead; a date is only read when those before
 * it are used up. Being free is not a reservation: any of them may be lost to another channel.
 */
export async function* freeSlots({ partner, transcript }: StepContext, venue: Venue): AsyncGenerator<Slot> {
  for (let ahead = firstDay; ahead <= lastDay; ahead += 1) {
    const date = dateAhead(ahead, venue.timeZone);
    const reply = await partner.call('GET', availabilityPath(venue, date));
    const slots = reply.list('slots');
    const free = slots.filter((slot) => field(slot, 'is_available') === true);
    transcript.values('←', { slots: slots.length, 'of them free': free.length });
    yield* free.map((slot) => asSlot(slot, date));
  }
}

/** The path of a venue's availability on one date. */
export function availabilityPath({ venueId }: Venue, date: string): string {
  return `/api/v1/slots/availability?venue_id=${venueId}&date=${date}`;
}

/** Two slots that share time could share a space too, as a full turf and its half do. */
export function overlaps(one: Slot, other: Slot): boolean {
  return one.slotStart < other.slotEnd && other.slotStart < one.slotEnd;
}

/** The calendar date at the venue, `YYYY-MM-DD`. */
function dateAhead(days: number, timeZone: string): string {
  // This locale writes dates as YYYY-MM-DD.
  return new Intl.DateTimeFormat('en-CA', { timeZone }).format(Date.now() + days * dayMs);
}

function asSlot(slot: unknown, date: string): Slot {
  return {
    date,
    slotId: fieldText(slot, 'slot_id'),
    resourceId: fieldText(slot, 'resource_id'),
    slotStart: fieldText(slot, 'slot_start'),
    slotEnd: fieldText(slot, 'slot_end'),
    priceRupees: Number(field(slot, 'price_rupees')),
  };
}
