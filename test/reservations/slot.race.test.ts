import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { GUARD_INDEX } from '../../src/reservations/reservations.indexes.ts';
import type { Reservation } from '../../src/reservations/reservations.model.ts';
import { report } from '../faults/report.ts';
import type { Reply } from '../support/client.ts';
import { anyPartner, anyResource, anyVenue, dateIn, freeSlotIds, type Partner, slotsOf } from '../support/factories.ts';
import { rowsOf } from '../support/rows.ts';
import { scaled } from '../support/scale.ts';
import { type HostedService, hostedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';

const PARTNERS = 64;
/** 64 × 158 are 10,112 holds. */
const SLOTS = scaled(158, 2);
const WINDOWS = scaled(50, 2);
/** Days of the race without shared space. */
const DAYS = scaled(5, 2);

/** Few slots a day, so that the alternatives for each loser are cheap to find. */
const TWO_A_DAY = { operating_hours_start: '06:00', operating_hours_end: '08:00' };
const daysFrom = (first: number, count: number): string[] =>
  Array.from({ length: count }, (_, index) => dateIn(first + index));

const started: HostedService[] = [];
afterAll(async () => {
  for (const service of started) await service.stop();
});

async function serviceWith(partnerCount: number) {
  const service = await hostedService({ overrides: { RATE_LIMIT_PER_MINUTE: '0', CACHE_LEASE_MS: '2000' } });
  started.push(service);
  const venue = await anyVenue(service, [TWO_A_DAY]);
  const partners = await Promise.all(Array.from({ length: partnerCount }, () => anyPartner(service, [venue.id])));
  const [partner] = partners;
  if (partner === undefined) throw new Error('There is no partner');
  return { service, venue, partners, partner };
}

/** Every partner requests the slot concurrently. */
const raceFor = (partners: readonly Partner[], slotId: string): Promise<Reply[]> =>
  Promise.all(partners.map(({ api }) => api.post('/api/v1/partner/holds', { slot_id: slotId })));

const claimsOf = (service: HostedService): Promise<Reservation[]> => rowsOf(service, 'reservations', { claimed: true });

/** Pairs of claims on the same space at the same time. `spaces`: the spaces of each resource. */
function overlaps(claims: readonly Reservation[], spaces: ReadonlyMap<string, readonly string[]>): string[] {
  const spacesOf = (claim: Reservation) => spaces.get(claim.resourceId) ?? [];
  return claims.flatMap((one, index) =>
    claims
      .slice(index + 1)
      .filter(
        (other) =>
          one.slotStart < other.slotEnd &&
          other.slotStart < one.slotEnd &&
          spacesOf(one).some((space) => spacesOf(other).includes(space)),
      )
      .map((other) => `${one.slotId} and ${other.slotId}`),
  );
}

/** The tests add resources to its venue. */
const shared = await serviceWith(PARTNERS);

describe('one slot', () => {
  test(`${PARTNERS} partners race for each of ${SLOTS} slots, and exactly one gets it`, async () => {
    const beganAt = performance.now();
    const { service, venue, partners, partner } = shared;
    const days = await Promise.all(daysFrom(3, SLOTS / 2).map((date) => freeSlotIds(partner, venue.id, date)));
    const slotIds = days.flat();
    expect(slotIds).toHaveLength(SLOTS);

    for (const slotId of slotIds) {
      const replies = await raceFor(partners, slotId);
      const losers = replies.filter(({ status }) => status !== 201);
      expect(losers).toHaveLength(PARTNERS - 1);
      expect(new Set(losers.map(verdict))).toEqual(new Set(['409 SLOT_NOT_AVAILABLE']));
    }
    const claimed = (await claimsOf(service)).map(({ slotId }) => slotId);
    expect(claimed.toSorted()).toEqual(slotIds.toSorted());
    report({
      promise: 1,
      experiment: `${PARTNERS} partners race for one slot after another`,
      count: `${SLOTS} slots, ${SLOTS * PARTNERS} holds`,
      result: `${claimed.length} sold, each once`,
      beganAt,
    });
  }, 600_000);

  test('control: without the guard index the same race has several winners', async () => {
    const { service, venue, partners, partner } = await serviceWith(16);
    await service.context.db.collection('reservations').dropIndex(GUARD_INDEX);
    const [slotId = ''] = await freeSlotIds(partner, venue.id);

    const winners = (await raceFor(partners, slotId)).filter(({ status }) => status === 201);

    expect(winners.length).toBeGreaterThan(1);
    expect(await claimsOf(service)).toHaveLength(winners.length);
  });
});

describe('a full turf and its halves', () => {
  const { service, partners, partner } = shared;
  const venueId = shared.venue.id;
  const ids = { left: '', right: '', full: '', neighbour: '' };
  beforeAll(async () => {
    const resource = (fields: Record<string, unknown>) => anyResource(service, venueId, { ...TWO_A_DAY, ...fields });
    ids.left = await resource({ name: 'Left' });
    ids.right = await resource({ name: 'Right' });
    ids.full = await resource({ name: 'Full', shares_space_with: [ids.left, ids.right] });
    ids.neighbour = await resource({ name: 'Neighbour' });
  });
  const spaces = () =>
    new Map([
      [ids.full, ['left', 'right']],
      [ids.left, ['left']],
      [ids.right, ['right']],
    ]);

  /** For each window of `days` days, all callers concurrently request a slot, spread evenly over `resourceIds`. */
  async function raceForWindows(
    resourceIds: readonly string[],
    callers: readonly Partner[],
    firstDay: number,
    days: number,
  ): Promise<{ claims: Reservation[]; windows: number }> {
    const listed = await Promise.all(daysFrom(firstDay, days).map((date) => slotsOf(partner, venueId, date)));
    const slots = listed.flat();
    const starts = [...new Set(slots.map((slot) => String(slot['slot_start'])))];
    for (const start of starts) {
      const rivals = resourceIds.map((id) =>
        slots.find((slot) => slot['slot_start'] === start && slot['resource_id'] === id),
      );
      const replies = await Promise.all(
        callers.map(({ api }, index) =>
          api.post('/api/v1/partner/holds', { slot_id: rivals[index % rivals.length]?.['slot_id'] }),
        ),
      );
      expect([...new Set(replies.map(verdict))].filter((each) => each !== '201')).toEqual(['409 SLOT_NOT_AVAILABLE']);
    }
    const slotStart = { $in: starts.map((start) => new Date(start)) };
    const contested = { claimed: true, slotStart, resourceId: { $in: resourceIds } };
    return { claims: await rowsOf(service, 'reservations', contested), windows: starts.length };
  }

  test(`${PARTNERS} partners race for ${WINDOWS} windows: no claims overlap, and every window is sold`, async () => {
    const { claims, windows } = await raceForWindows([ids.full, ids.left, ids.right], partners, 3, WINDOWS / 2);

    expect(windows).toBe(WINDOWS);
    expect(overlaps(claims, spaces())).toEqual([]);
    expect(new Set(claims.map(({ slotStart }) => slotStart.getTime())).size).toBe(WINDOWS);
  }, 300_000);

  test('control: a turf that declares no shared space is sold over a half', async () => {
    const sold = [ids.neighbour, ids.left];
    const { claims, windows } = await raceForWindows(sold, partners.slice(0, 8), 40, DAYS);

    const asIfShared = new Map([...spaces(), [ids.neighbour, ['left']]]);
    expect(overlaps(claims, asIfShared)).toHaveLength(windows);
  });
});
