import { readsAvailability, rewriteSlots, withUnknownFields } from '../availability-rewrites.ts';
import { LostToOthers, retrying } from '../lost-slots.ts';
import { MADE_UP_VENUES } from '../made-up-venues.ts';
import type { Scenario } from '../scenario.ts';
import { expectThat, Finding, NotTried } from '../scenario.ts';
import { catchUp, farDate, holdSlot, shownSlot, takeShownSlot } from '../trial.ts';

const MAX_VENUES = 3;

function missingIn(listed: readonly string[], expected: readonly string[]): string | undefined {
  return expected.find((each) => !listed.includes(each));
}

function expectSame(what: string, listed: readonly string[], expected: readonly string[]): void {
  const [lacking, surplus] = [missingIn(listed, expected), missingIn(expected, listed)];
  expectThat(lacking === undefined, `${what} lacks ${lacking}: ${listed.length} of ${expected.length} were listed.`);
  expectThat(surplus === undefined, `${what} has ${surplus}, which the service does not list.`);
  expectThat(new Set(listed).size === listed.length, `${what} lists something twice.`);
}

/** Level 1: venues, resources, slots and prices. */
export const READING: readonly Scenario[] = [
  {
    id: 'venues-listed',
    level: 1,
    title: 'Every venue is listed, with its id and name',
    remedy: 'Read GET /api/v1/partner/venues, which has no pages, and take venue_id and name as they are.',
    run: async ({ integration, sandbox }) => {
      const { venues } = await integration.do('list_venues', {});
      const { data } = await sandbox.client.listVenues();
      const labels = (all: typeof venues) => all.map(({ venue_id, name }) => `${venue_id} (${name})`);
      expectSame('list_venues', labels(venues), labels([...data, ...MADE_UP_VENUES]));
    },
  },
  {
    id: 'resources-listed',
    level: 1,
    title: 'Every resource of a venue is listed with its exact id',
    remedy: 'Read GET /api/v1/partner/venues/{venueId}/resources and copy resource_id; never construct it.',
    run: async ({ integration, sandbox }) => {
      for (const { venue_id, name } of (await sandbox.venues()).slice(0, MAX_VENUES)) {
        const { resources } = await integration.do('list_resources', { venue_id });
        const { data } = await sandbox.client.listResources({ path: { venueId: venue_id } });
        const ids = (all: typeof resources) => all.map(({ resource_id }) => resource_id);
        expectSame(`list_resources of ${name}`, ids(resources), ids(data));
      }
    },
  },
  {
    id: 'day-listed',
    level: 1,
    title: 'A day shows every slot that the service lists, with its exact id',
    remedy:
      'Read GET /api/v1/slots/availability and copy slot_id and resource_id, also of unavailable slots. Ids are opaque.',
    run: async ({ integration, sandbox }) => {
      const { venue, date } = await sandbox.freeSlot();
      const { slots } = await integration.do('list_slots', { venue_id: venue.venue_id, date });
      const ids = (all: readonly { slot_id: string; resource_id: string }[]) =>
        all.map(({ slot_id, resource_id }) => `${slot_id} of ${resource_id}`);
      expectSame(`list_slots of ${date}`, ids(slots), ids(await sandbox.day({ venue, date })));
    },
  },
  {
    id: 'availability-shown',
    level: 1,
    title: 'A slot that another channel took is shown as taken, a free one as free',
    remedy:
      'Show is_available of the newest response. Mark your cache as stale after every event of the venue, also from the feed.',
    run: async (trial) => {
      const taken = await takeShownSlot(trial);
      await catchUp(trial, taken);
      expectThat(
        !(await shownSlot(trial, taken)).is_available,
        `${taken.slot.slot_id} is taken, and is shown as free.`,
      );
      await retrying(async () => {
        const free = await trial.sandbox.freeSlot();
        if ((await shownSlot(trial, free)).is_available) return;
        if (!(await trial.sandbox.slotNow(free)).is_available) throw new LostToOthers();
        throw new Finding(`${free.slot.slot_id} is free, and is shown as taken.`);
      });
    },
  },
  {
    id: 'unknown-fields-ignored',
    level: 1,
    title: 'Fields that are added to responses later change nothing',
    remedy: 'Ignore unknown fields: the service adds fields at any time within /api/v1.',
    run: async (trial) => {
      const { sandbox, integration, proxy } = trial;
      proxy.arm({ isFor: () => true, fault: { kind: 'rewrite', body: withUnknownFields } });
      const taken = await sandbox.takenSlot();
      await catchUp(trial, taken);
      await shownSlot(trial, taken);
      const { orderId, hold } = await holdSlot(trial);
      const { status } = await integration.do('release_hold', { order_id: orderId, hold_id: hold.hold_id });
      expectThat(status === 'RELEASED', `release_hold reported ${status} instead of RELEASED.`);
    },
  },
  {
    id: 'unknown-reason-tolerated',
    level: 1,
    title: 'A slot that is unavailable for an unknown reason is shown as taken',
    remedy: 'Decide by is_available. An unknown unavailable_reason is not an error: more values may be added.',
    run: async (trial) => {
      const taken = await trial.sandbox.takenSlot();
      const { slot_id: slotId } = taken.slot;
      const change = rewriteSlots((slots) =>
        slots.map((slot) => (slot.is_available ? slot : { ...slot, unavailable_reason: 'maintenance' })),
      );
      trial.proxy.arm(change);
      await catchUp(trial, taken);
      expectThat(
        !(await shownSlot(trial, taken)).is_available,
        `${slotId} is not available (maintenance), and is shown as free.`,
      );
    },
  },
  {
    id: 'price-of-the-slot',
    level: 1,
    title: 'The price shown is that of the slot on its date',
    remedy:
      'Show price_rupees of the slot in availability, with decimals. The price of the resource is a base price only.',
    run: async (trial) => {
      const { proxy, sandbox } = trial;
      const taken = await sandbox.takenSlot();
      const raised = taken.slot.price_rupees + 137.5;
      const isTaken = ({ slot_id }: { slot_id: string }) => slot_id === taken.slot.slot_id;
      proxy.arm(
        rewriteSlots((slots) => slots.map((slot) => (isTaken(slot) ? { ...slot, price_rupees: raised } : slot))),
      );
      await catchUp(trial, taken);
      const { price_rupees: price } = await shownSlot(trial, taken);
      // Without a new read of availability, the integration only knows the first price.
      const expected = proxy.calls.some(readsAvailability) ? raised : taken.slot.price_rupees;
      expectThat(price === expected, `The slot costs ${expected} rupees, and is shown for ${price}.`);
    },
  },
  {
    id: 'empty-day-shown',
    level: 1,
    title: 'A day without slots is an empty list',
    remedy: 'Accept an empty list of slots: the venue is closed on that date.',
    run: async ({ integration, proxy, sandbox }) => {
      const [venue] = await sandbox.venues();
      if (venue === undefined) throw new NotTried('No active venue is granted to you. Ask the operator for one.');
      proxy.arm(rewriteSlots(() => []));
      const date = farDate();
      const { slots } = await integration.do('list_slots', { venue_id: venue.venue_id, date });
      expectThat(slots.length === 0, `${date} has no slots, and list_slots shows ${slots.length}.`);
    },
  },
];
