import { randomUUID } from 'node:crypto';
import type { Schemas } from 'partner-booking-client';
import { sandbox } from './support.ts';

/** A day of the sandbox's first venue. */
export type Market = {
  venueId: string;
  date: string;
  /** A slot that no test of this file has used. */
  freeSlot(): Promise<Schemas['Slot']>;
  /** The form of a new order for a slot. */
  order(slotId: string): { order_id: string; slot_id: string; venue_id: string; date: string };
  activeHolds(slotId: string): Promise<Schemas['Hold'][]>;
};

/** Picks the day with the most free slots, 3 to 9 days ahead: earlier runs may have booked some. */
export async function openMarket(): Promise<Market> {
  const client = sandbox();
  const venueId = (await client.listVenues()).data[0]?.venue_id ?? '';
  const slotsOn = async (date: string) => (await client.getAvailability({ query: { venue_id: venueId, date } })).slots;
  const days = [3, 4, 5, 6, 7, 8, 9].map(async (ahead) => {
    const date = new Date(Date.now() + ahead * 86_400_000).toISOString().slice(0, 10);
    return { date, free: (await slotsOn(date)).filter((each) => each.is_available).length };
  });
  const [freest] = (await Promise.all(days)).sort((one, other) => other.free - one.free);
  const date = freest?.date ?? '';
  const used = new Set<string>();
  return {
    venueId,
    date,
    freeSlot: async () => {
      const free = (await slotsOn(date)).find((each) => each.is_available && !used.has(each.slot_id));
      if (free === undefined) throw new Error(`Venue ${venueId} has no free slot on ${date}`);
      used.add(free.slot_id);
      return free;
    },
    order: (slotId) => ({ order_id: randomUUID(), slot_id: slotId, venue_id: venueId, date }),
    activeHolds: async (slotId) => {
      const { data } = await client.listHolds({ query: { status: 'ACTIVE', limit: 200 } });
      return data.filter((each) => each.slot_id === slotId);
    },
  };
}
