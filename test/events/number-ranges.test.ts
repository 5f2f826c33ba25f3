import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { anyPartner, anyVenue, type Partner, type Venue } from '../support/factories.ts';
import { hostedService } from '../support/service-host.ts';
import type * as NumberRanges from './number-ranges.in-host.ts';

const service = await hostedService();
const {
  age,
  giveUpOld,
  useNumbers,
  highestNumber,
  logAsDispatcher,
  openRangeIds,
  read,
  readWhileDispatching,
  reserveNumbers,
} = service.inHost<typeof NumberRanges>('test/events/number-ranges.in-host.ts');
let venue: Venue;
let partner: Partner;
const reader = () => ({ venueId: venue.id, partnerId: partner.id });
afterAll(() => service.stop());
beforeEach(async () => {
  venue = await anyVenue(service);
  partner = await anyPartner(service, [venue.id]);
});

describe('numbers that a frozen dispatcher has reserved but not used', () => {
  test('stop the feed while others write, so that no event is skipped', async () => {
    const range = await reserveNumbers(3);
    const others = await logAsDispatcher(venue.id, 2);
    const before = await read(partner.id, 0);
    expect(before.ids).toEqual([]);

    const { ids, rejected } = await useNumbers(range, reader(), 'nothing');

    expect(rejected).toBe(0);
    const after = await read(partner.id, before.next);
    expect(after.ids).toEqual([...ids, ...others]);
    expect((await read(partner.id, after.next)).ids).toEqual([]);
  });

  test('control: a reader that has read to the highest number misses the events that get reserved lower numbers', async () => {
    const range = await reserveNumbers(3);
    await logAsDispatcher(venue.id, 2);
    const highest = await highestNumber();
    const { ids } = await useNumbers(range, reader(), 'nothing');
    expect(ids).toHaveLength(3);
    expect((await read(partner.id, highest)).ids).toEqual([]);
  });

  test('are given up after ten seconds, so that the feed continues; younger ones are not given up', async () => {
    const [old, young] = [await reserveNumbers(3), await reserveNumbers(2)];
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

  test('are invalid once given up: a late dispatcher gets new numbers, beyond all readers’ positions', async () => {
    const range = await reserveNumbers(3);
    const others = await logAsDispatcher(venue.id, 2);
    const { ids, rejected, readerAt } = await useNumbers(range, reader(), 'its range was given up');
    expect(rejected).toBe(3);
    expect((await read(partner.id, 0)).ids.slice(0, 2)).toEqual(others);
    expect((await read(partner.id, readerAt)).ids.toSorted()).toEqual(ids.toSorted());
  });

  test('control: if the range is only closed, a late dispatcher writes events that readers have passed', async () => {
    const range = await reserveNumbers(3);
    await logAsDispatcher(venue.id, 2);
    const { rejected, readerAt } = await useNumbers(range, reader(), 'its range was only closed');
    expect(rejected).toBe(0);
    expect((await read(partner.id, readerAt)).ids).toEqual([]);
  });
});

test.each([
  { others: 'no others', older: 0 },
  { others: 'two of an older release', older: 2 },
])(
  'while four dispatchers, some of which lose their numbers, and $others run, a reader gets every event once, in order for each reservation',
  async ({ older }) => {
    const race = { partnerId: partner.id, venueId: venue.id, dispatchers: 4, rounds: 12, older };
    const { readIds, writtenIds, disordered } = await readWhileDispatching(race);
    expect(writtenIds).toHaveLength(4 * 12 * 4 + older * 12 * 2);
    expect(readIds.toSorted()).toEqual(writtenIds.toSorted());
    expect(disordered).toEqual([]);
  },
);
