import type { PartnerClient } from '../../client.ts';
import type { Schemas } from '../../operation-types.ts';
import type { Has } from './defects.ts';

type Slot = Schemas['Slot'];
type CachedDay = { slots: Slot[]; isStale: boolean };
type Change = Pick<Schemas['Event'], 'venue_id' | 'slot_id'> & { event_type: string };

/** How long venues are cached: their names change rarely, and without events. */
const VENUES_TTL_MS = 30_000;
const FREEING_TYPES = ['hold_cancelled', 'hold_expired', 'booking_cancelled', 'booking_refunded'];
const KNOWN_REASONS = ['held', 'booked', 'blackout', 'past', 'beyond_horizon', 'inactive'];
const KNOWN_FIELDS = 'slot_id resource_id slot_start slot_end price_rupees is_available unavailable_reason'.split(' ');

/** Caches venues for VENUES_TTL_MS, and days until an event marks them as stale. */
export function createCatalogue(client: PartnerClient, has: Has) {
  const zones = new Map<string, string>();
  const days = new Map<string, CachedDay>();
  let venues: { data: Schemas['Venue'][]; readAtMs: number } | undefined;

  const listVenues = async () => {
    if (venues === undefined || performance.now() - venues.readAtMs > VENUES_TTL_MS) {
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
    const cached = days.get(`${venueId} ${date}`);
    if (cached !== undefined && (!cached.isStale || has('cache-never-stale'))) return cached.slots;
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
      for (const [key, cached] of days) {
        if (!key.startsWith(`${venueId} `)) continue;
        if (!has('last-event-wins')) cached.isStale = true;
        else
          cached.slots = cached.slots.map((slot) =>
            slot.slot_id === slotId ? { ...slot, is_available: FREEING_TYPES.includes(type) } : slot,
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
function localTime(zone: string, instant: string, requestedDate: string, has: Has): string {
  if (has('utc-as-local-time')) return `${instant.slice(0, 16)}+00:00`;
  const at = Date.parse(instant);
  const offset = has('winter-offset') ? offsetAt(zone, Date.parse('2026-01-01T00:00:00Z')) : offsetAt(zone, at);
  const wall = wallAt(at, offset);
  if (has('date-that-was-asked-for')) return `${requestedDate}${wall.slice(10)}${offset}`;
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
