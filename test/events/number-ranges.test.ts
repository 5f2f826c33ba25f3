import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { anyPartner, anyVenue, type Partner, type Venue } from '../support/factories.ts';
import { hostedService } from '../support/service-host.ts';
import type * as NumberRanges from './number-ranges.in-host.ts';

const service = await hostedService();
const { age, giveUpOld, goOn, highestNumber, logAsDispatcher, openRangeIds, read, readWhileDispatching, standStill } =
  service.inHost<typeof NumberRanges>('test/events/number-ranges.in-host.ts');
let venue: Venue;
let partner: Partner;
const reader = () => ({ venueId: venue.id, partnerId: partner.id });
afterAll(() => service.stop());
beforeEach(async () => {
  venue = await anyVenue(service);
  partner = await anyPartner(service, [venue.id]);
});

describe('numbers that a dispatcher has reserved but not used', () => {
  test('limit the feed while others write; no event is skipped', async () => {
    const range = await standStill(3);
    const others = await logAsDispatcher(venue.id, 2);
    const before = await read(partner.id, 0);
    expect(before.ids).toEqual([]);

    const { ids, refused } = await goOn(range, reader(), 'nothing');

    expect(refused).toBe(0);
    const after = await read(partner.id, before.next);
    expect(after.ids).toEqual([...ids, ...others]);
    expect((await read(partner.id, after.next)).ids).toEqual([]);
  });

  test('control: a reader that continues to the highest number misses them', async () => {
    const range = await standStill(3);
    await logAsDispatcher(venue.id, 2);
    const highest = await highestNumber();
    const { ids } = await goOn(range, reader(), 'nothing');
    expect(ids).toHaveLength(3);
    expect((await read(partner.id, highest)).ids).toEqual([]);
  });

  test('are given up after ten seconds, so that the feed continues; newer ones are not', async () => {
    const [old, young] = [await standStill(3), await standStill(2)];
    const ids = await logAsDispatcher(venue.id, 2);
    await age(old, 11_000);
    await giveUpOld();
    expect(await openRangeIds()).toEqual([young]);
    expect((await read(partner.id, 0)).ids).toEqual([]);

    await age(young, 11_000);
    await giveUpOld();
    expect(await openRangeIds()).toEqual([]);
    expect((await read(partner.id, 0)).ids).toEqual(ids);
  });

  test('are invalid once given up: a late dispatcher gets new numbers, ahead of all readers', async () => {
    const range = await standStill(3);
    const others = await logAsDispatcher(venue.id, 2);
    const { ids, refused, passed } = await goOn(range, reader(), 'its range was given up');
    expect(refused).toBe(3);
    expect((await read(partner.id, 0)).ids.slice(0, 2)).toEqual(others);
    expect((await read(partner.id, passed)).ids.toSorted()).toEqual(ids.toSorted());
  });

  test('control: in a range that is only closed, a late dispatcher writes behind readers', async () => {
    const range = await standStill(3);
    await logAsDispatcher(venue.id, 2);
    const { refused, passed } = await goOn(range, reader(), 'its range was only closed');
    expect(refused).toBe(0);
    expect((await read(partner.id, passed)).ids).toEqual([]);
  });
});

test.each([
  { beside: 'each other', older: 0 },
  { beside: 'dispatchers of an older release', older: 2 },
])(
  'four dispatchers beside $beside, some frozen: a reader sees every event once, in order per reservation',
  async ({ older }) => {
    const race = { partnerId: partner.id, venueId: venue.id, dispatchers: 4, rounds: 12, older };
    const { seen, written, disordered } = await readWhileDispatching(race);
    expect(written).toHaveLength(4 * 12 * 4 + older * 12 * 2);
    expect(seen.toSorted()).toEqual(written.toSorted());
    expect(disordered).toEqual([]);
  },
);
