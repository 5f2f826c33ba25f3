import type { PartnerClient } from '../../client.ts';
import type { Schemas } from '../../operation-types.ts';
import type { Has } from './defects.ts';

type Slot = Schemas['Slot'];
type Kept = { slots: Slot[]; isStale: boolean };
type Change = Pick<Schemas['Event'], 'venue_id' | 'slot_id'> & { event_type: string };

/** Names of venues change rarely, and without events. */
const VENUES_KEPT_MS = 30_000;
const FREEING = ['hold_cancelled', 'hold_expired', 'booking_cancelled', 'booking_refunded'];
const KNOWN_REASONS = ['held', 'booked', 'blackout', 'past', 'beyond_horizon', 'inactive'];
const KNOWN_FIELDS = 'slot_id resource_id slot_start slot_end price_rupees is_available unavailable_reason'.split(' ');

/** Caches venues for VENUES_KEPT_MS, and days until an event marks them as stale. */
export function createCatalogue(client: PartnerClient, has: Has) {
  const zones = new Map<string, string>();
  const days = new Map<string, Kept>();
  let venues: { data: Schemas['Venue'][]; readAtMs: number } | undefined;

  const listVenues = async () => {
    if (venues === undefined || performance.now() - venues.readAtMs > VENUES_KEPT_MS) {
      const { data } = await client.listVenues();
      for (const { venue_id, time_zone } of data) zones.set(venue_id, time_zone);
      venues = { data, readAtMs: performance.now() };
    }
    return venues.data;
  };
  const zoneOf = async (venueId: string): Promise<string> => {
    if (!zones.has(venueId)) await listVenues();
    return zones.get(venueId) ?? 'UTC';
  };
  const slotsOf = async (venueId: string, date: string): Promise<Slot[]> => {
    const kept = days.get(`${venueId} ${date}`);
    if (kept !== undefined && (!kept.isStale || has('cache-never-stale'))) return kept.slots;
    const { slots } = await client.getAvailability({ query: { venue_id: venueId, date } });
    requireKnown(slots, date, has);
    days.set(`${venueId} ${date}`, { slots, isStale: false });
    return slots;
  };
  const basePrices = async (venueId: string) => {
    const { data } = await client.listResources({ path: { venueId } });
    return new Map(data.map(({ resource_id, price_rupees }) => [resource_id, price_rupees]));
  };

  return {
    listVenues: async () => {
      const listed = (await listVenues()).map(({ venue_id, name }) => ({ venue_id, name }));
      return { venues: has('first-venue-only') ? listed.slice(0, 1) : listed };
    },
    listResources: async (venueId: string) => {
      const { data } = await client.listResources({ path: { venueId } });
      const resources = data.map(({ resource_id }) => ({ resource_id }));
      return { resources: has('first-resource-only') ? resources.slice(0, 1) : resources };
    },
    listSlots: async (venueId: string, date: string) => {
      const zone = await zoneOf(venueId);
      const prices = has('base-price') ? await basePrices(venueId) : undefined;
      const slots = (await slotsOf(venueId, date)).map((slot) => ({
        slot_id: slot.slot_id,
        resource_id: has('invented-resource-ids') ? 'turf-a' : slot.resource_id,
        local_time: localTime(zone, slot.slot_start, date, has),
        price_rupees: prices?.get(slot.resource_id) ?? slot.price_rupees,
        is_available: slot.is_available,
      }));
      return { slots };
    },
    noteChange: ({ venue_id: venueId, slot_id: slotId, event_type: type }: Change): void => {
      for (const [key, kept] of days) {
        if (!key.startsWith(`${venueId} `)) continue;
        if (!has('last-event-wins')) kept.isStale = true;
        else
          kept.slots = kept.slots.map((slot) =>
            slot.slot_id === slotId ? { ...slot, is_available: FREEING.includes(type) } : slot,
          );
      }
    },
  };
}

function requireKnown(slots: readonly Slot[], date: string, has: Has): void {
  if (has('empty-day-is-an-error') && slots.length === 0) throw new Error(`No slots on ${date}`);
  for (const slot of slots) {
    const reason = slot.unavailable_reason;
    if (has('known-reasons-only') && reason !== undefined && !KNOWN_REASONS.includes(reason))
      throw new Error(`Unknown reason ${reason}`);
    if (has('strict-fields') && Object.keys(slot).some((field) => !KNOWN_FIELDS.includes(field)))
      throw new Error('Unknown field of a slot');
  }
}

const HOUR_MS = 3_600_000;

/** The wall time at an instant with its offset: `YYYY-MM-DDTHH:mm±HH:MM`. */
function localTime(zone: string, instant: string, askedDate: string, has: Has): string {
  if (has('utc-as-local-time')) return `${instant.slice(0, 16)}+00:00`;
  const at = Date.parse(instant);
  const offset = has('winter-offset') ? offsetAt(zone, Date.parse('2026-01-01T00:00:00Z')) : offsetAt(zone, at);
  const wall = wallAt(at, offset);
  if (has('date-that-was-asked-for')) return `${askedDate}${wall.slice(10)}${offset}`;
  if (!has('first-of-two-hours')) return `${wall}${offset}`;
  const before = offsetAt(zone, at - HOUR_MS);
  return wallAt(at - HOUR_MS, before) === wall ? `${wall}${before}` : `${wall}${offset}`;
}

function wallAt(atMs: number, offset: string): string {
  const [, sign, hours = '0', minutes = '0'] = /^([+-])(\d\d):(\d\d)$/.exec(offset) ?? [];
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === '-' ? -1 : 1);
  return new Date(atMs + offsetMs).toISOString().slice(0, 16);
}

function offsetAt(zone: string, atMs: number): string {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeZoneName: 'longOffset' });
  const name = format.formatToParts(atMs).find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT';
  return name === 'GMT' ? '+00:00' : name.slice('GMT'.length);
}
