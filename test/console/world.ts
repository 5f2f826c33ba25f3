import { anyDelivery } from '../support/deliveries.ts';
import {
  anyPartner,
  anyResource,
  anyVenue,
  bookSlot,
  dateIn,
  expectStatus,
  freeSlotIds,
  operatorOf,
  placeHold,
  subscribe,
} from '../support/factories.ts';
import { startReceiver } from '../support/receiver.ts';
import type { Stored } from '../support/rows.ts';
import type { ServiceCalls } from '../support/service-calls.ts';
import type { Listeners } from '../support/service-environment.ts';

const MORNING = { operating_hours_start: '06:00', operating_hours_end: '14:00' };

/**
 * A venue with one day to look at in the console. Turf A has a booking, a hold and a walk-in in its first three slots.
 * The rival holds the first slot of the full ground and has a dead letter. A blackout closes the tennis court from
 * 12:00, over a booking. Stop it before the service.
 */
export async function consoleWorld(service: Listeners & ServiceCalls & Stored) {
  const venue = await anyVenue(service, [{ name: 'Turf A', ...MORNING }], { name: 'Koramangala Arena' });
  const [turf = ''] = venue.resourceIds;
  const north = await anyResource(service, venue.id, { name: 'North half', ...MORNING });
  const ground = { name: 'Full ground', duration_minutes: 120, price_rupees: 2400 };
  const full = await anyResource(service, venue.id, { ...ground, ...MORNING, shares_space_with: [north] });
  const court = await anyResource(service, venue.id, { name: 'Tennis court', sport_category: 'tennis', ...MORNING });
  const [partner, rival] = [await anyPartner(service, [venue.id]), await anyPartner(service, [venue.id])];
  const date = dateIn(3);
  const slots = await freeSlotIds(partner, venue.id, date);
  const slotOf = (resourceId: string, index: number) =>
    slots.filter((slot) => slot.startsWith(`${resourceId}_`))[index] ?? '';
  const receiver = await startReceiver(503);
  await subscribe(rival, receiver.url);
  const deliveryId = await anyDelivery(service, partner, rival, slotOf(turf, 1));
  await service.attempt(deliveryId, 5);
  const booking = await bookSlot(partner, slotOf(turf, 0));
  const hold = await placeHold(rival, slotOf(full, 0));
  const sold = { slot_id: slotOf(turf, 2), customer_name: 'Vikram Shetty' };
  expectStatus(await operatorOf(service).post('/api/v1/operator/walk-ins', sold), 201);
  await bookSlot(partner, slotOf(court, 6));
  const noon = { starts_at: `${date}T12:00+05:30`, ends_at: `${date}T14:00+05:30`, resource_ids: [court] };
  const path = `/api/v1/operator/venues/${venue.id}/blackouts`;
  const blackout = expectStatus(await operatorOf(service).post(path, { ...noon, reason: 'New net' }), 201);
  const day = `/?venue_id=${venue.id}&date=${date}`;
  const pages = {
    grid: day,
    bookings: '/bookings',
    booking: `/bookings/${String(booking['booking_id'])}`,
    hold: `/holds/${String(hold['hold_id'])}`,
    'blackout-page': `/blackouts/${String(blackout['blackout_id'])}`,
    partners: '/partners',
    partner: `/partners/${partner.id}`,
    certification: `/partners/${partner.id}/certification`,
    webhooks: '/webhooks',
    deliveries: '/deliveries',
    delivery: `/deliveries/${deliveryId}`,
    'dead-letters': '/dead-letters',
    alerts: '/alerts',
    audit: '/audit',
  };
  return {
    venueId: venue.id,
    date,
    partner,
    rival,
    turf,
    north,
    slotOf,
    booking,
    blackout,
    /** The day of these bookings on the grid. */
    day,
    /** Every page of the console by name; pages of one object show something of this venue. */
    pages,
    stop: () => receiver.close(),
  };
}

export type ConsoleWorld = Awaited<ReturnType<typeof consoleWorld>>;
