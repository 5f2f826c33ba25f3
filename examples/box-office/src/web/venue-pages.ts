import { randomUUID } from 'node:crypto';
import type { Schemas } from 'partner-booking-client';
import type { Day } from '../availability.ts';
import { dateAfter, localTime, spokenDate, spokenTime, today } from '../venue-time.ts';
import type { Markup } from './html.ts';
import { html } from './html.ts';
import { page, rupees } from './layout.ts';

type Offer = Pick<Schemas['Slot'], 'slot_id' | 'slot_start' | 'price_rupees'>;
/** The court and time of an offer, as the page shows them. */
type OfferText = { court?: string; time?: string };
export type Place = { venueId: string; date: string; timeZone: string };

export const dayPath = (venueId: string, date: string): string =>
  `/venues/${encodeURIComponent(venueId)}?date=${encodeURIComponent(date)}`;

export function venuesPage(venues: readonly Schemas['Venue'][]): string {
  const content =
    venues.length === 0
      ? html`<p>We sell no courts yet. Please come back later.</p>`
      : html`<ul class="cards">${venues.map(
          ({ venue_id, name, address, city }) =>
            html`<li><a href="/venues/${venue_id}"><strong>${name}</strong><br><span class="quiet">${address}, ${city}</span></a></li>`,
        )}</ul>`;
  return page({ title: 'Where do you want to play?', content });
}

/** A button that holds a slot. Repeated clicks place one hold, because they send the same order id. */
export function offer({ slot_id, slot_start, price_rupees }: Offer, place: Place, text: OfferText = {}): Markup {
  const { court = '', time = clock(slot_start, place) } = text;
  const price = rupees(price_rupees);
  // The accessible name must begin with the visible text.
  const name = [`${time} ${price}`, court, spokenTime(slot_start, place.timeZone)].filter((part) => part !== '');
  return html`<form method="post" action="/orders">
<input type="hidden" name="order_id" value="${randomUUID()}"><input type="hidden" name="slot_id" value="${slot_id}">
<input type="hidden" name="venue_id" value="${place.venueId}"><input type="hidden" name="date" value="${place.date}">
<button aria-label="${name.join(', ')}"><strong>${time}</strong> ${price}</button></form>`;
}

/** The time at the venue, with the weekday if the slot starts after midnight. */
function clock(instant: string, { timeZone, date }: Place): string {
  const local = localTime(instant, timeZone);
  const weekday = local.startsWith(date) ? '' : `${spokenTime(instant, timeZone).slice(0, 3)} `;
  return `${weekday}${local.slice(11, 16)}`;
}

/** Slot start → time on the page, with the UTC offset if two slots have the same time. */
function clocks(slots: readonly Schemas['Slot'][], place: Place): Map<string, string> {
  const starts = [...new Set(slots.map(({ slot_start }) => slot_start))];
  const times = starts.map((start) => ({ start, time: clock(start, place) }));
  return new Map(
    times.map(({ start, time }) => {
      const isTwice = times.some((other) => other.start !== start && other.time === time);
      return [start, isTwice ? `${time} (UTC${localTime(start, place.timeZone).slice(16)})` : time];
    }),
  );
}

const REASONS: Readonly<Record<string, string>> = {
  past: 'over',
  blackout: 'closed',
  inactive: 'closed',
  beyond_horizon: 'not yet on sale',
};

export function dayPage(day: Day, date: string, resources: readonly Schemas['Resource'][]): string {
  const { venue, slots } = day;
  const place: Place = { venueId: venue.venue_id, date, timeZone: venue.time_zone };
  const courts = [...new Set(slots.map(({ resource_id }) => resource_id))];
  const times = clocks(slots, place);
  const courtOf = (id: string) => resources.find(({ resource_id }) => resource_id === id);
  const content = html`
<p class="quiet">${venue.address}, ${venue.city} · times of ${venue.time_zone}</p>
${day.isOutdated && html`<p class="notice wait" role="status">The booking service does not answer. This is from ${spokenTime(day.readAt.toISOString(), venue.time_zone)} and may have changed.</p>`}
<nav class="days" aria-label="Date">${date > today(venue.time_zone) && html`<a href="${dayPath(place.venueId, dateAfter(date, -1))}">← The day before</a>`}
<a href="${dayPath(place.venueId, dateAfter(date, 1))}">The day after →</a>
<form method="get"><label for="date">Date</label> <input type="date" id="date" name="date" value="${date}" required> <button class="plain">Show</button></form></nav>
<h2>${spokenDate(date)}</h2>
${courts.length === 0 && html`<p>Nothing is offered on this day.</p>`}
${courts.map((id) => {
  const court = courtOf(id);
  const courtSlots = slots.filter(({ resource_id }) => resource_id === id);
  return html`<section aria-labelledby="${id}"><h3 id="${id}">${court?.name ?? id} <span class="quiet">${court?.sport_category}</span></h3>
<ul class="slots">${courtSlots.map((slot) => html`<li>${slot.is_available ? offer(slot, place, { court: court?.name ?? id, time: times.get(slot.slot_start) ?? '' }) : taken(slot, times.get(slot.slot_start))}</li>`)}</ul></section>`;
})}`;
  return page({ title: venue.name, content });
}

const taken = ({ unavailable_reason = '' }: Schemas['Slot'], time: string | undefined): Markup =>
  html`<span class="taken"><strong>${time}</strong> ${REASONS[unavailable_reason] ?? 'taken'}</span>`;
