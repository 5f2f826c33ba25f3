import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import { cellsOf, spacesOf } from '../../src/reservations/cells.rules.ts';
import type { Reply } from '../support/client.ts';
import { collectionCallsOf } from '../support/collection-calls.ts';
import type { Partner } from '../support/factories.ts';
import { anyPartner, anyVenue, dateIn, expectStatus, operatorOf, placeHold } from '../support/factories.ts';
import { latch } from '../support/latch.ts';
import { beside, cacheOf, ignoringLeases, SLOW, WITHIN_SLOW_MS, waitingForNoLease } from '../support/leases.ts';
import { rowOf } from '../support/rows.ts';
import { type HostedService, hostedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';

const HOLDS = '/api/v1/partner/holds';
const TAKEN = '409 SLOT_NOT_AVAILABLE';

// A short lease: a hold waits here for a change before its write, at most for the allowed clock error of 1 s.
const service = await hostedService({ overrides: { CACHE_LEASE_MS: '200' } });
const another = await beside(service);
const slow = await hostedService(SLOW);
const slowToo = await beside(slow);
afterAll(async () => {
  await another.stop({ keepsDatabase: true });
  await service.stop();
  await slowToo.stop({ keepsDatabase: true });
  await slow.stop();
});

/** A half turf and a full one that share nothing yet. `cacheVenue` makes the selling process cache their venue. */
async function createHalves(operated: HostedService, sells: HostedService) {
  const venue = await anyVenue(operated, [{ name: 'Half' }, { name: 'Full' }], { time_zone: 'UTC' });
  const [half = '', full = ''] = venue.resourceIds;
  // Read once, because at midnight the next call would return another day.
  const date = dateIn(3).replaceAll('-', '');
  const slotAt = (resourceId: string, time: string) => `${resourceId}_${date}T${time}Z`;
  const cacheVenue = async () => placeHold(await anyPartner(sells, [venue.id]), slotAt(half, `${10 + warmed++}00`));
  let warmed = 0;
  const [seller, rival] = [await anyPartner(sells, [venue.id]), await anyPartner(operated, [venue.id])];
  const share = () => operatorOf(operated).patch(`/api/v1/operator/resources/${full}`, { shares_space_with: [half] });
  return { half, full, slotAt, cacheVenue, seller, rival, share };
}
type Halves = Awaited<ReturnType<typeof createHalves>>;

const hold = ({ api }: Partner, slotId: string) => api.post(HOLDS, { slot_id: slotId });
const holdFull = async ({ rival, slotAt, full }: Halves) => verdict(await hold(rival, slotAt(full, '0600')));

/** Places the hold on the half, and calls `meanwhile` between its reads of the venue and its write. */
const holdHalfAfter = (meanwhile: () => Promise<unknown>, { seller, slotAt, half }: Halves, sells: HostedService) =>
  collectionCallsOf(sells).beforeNext('reservations.bulkWrite', meanwhile, () => hold(seller, slotAt(half, '0600')));

/** Whether the hold claims the shared space, or only its own resource. */
async function spaceOf({ half, full }: Halves, reply: Reply, process = service): Promise<'shared' | 'own'> {
  const { hold_id: _id } = expectStatus(reply, 201);
  const { cells, slotStart, slotEnd } = await rowOf(process, 'reservations', { _id });
  const shared = cellsOf(spacesOf(half, [full]), slotStart, slotEnd);
  return shared.every((cell) => cells.includes(cell)) ? 'shared' : 'own';
}

describe.each<[string, () => HostedService]>([
  ['the process that is told of the relation', () => service],
  ['another process', () => another],
])('a hold on the half, drafted in %s before both share space,', (_which, sellsAt) => {
  const prepare = async () => {
    const place = await createHalves(service, sellsAt());
    await place.cacheVenue();
    return place;
  };
  const sharing = (place: Halves) => async () => expectStatus(await place.share(), 200);

  test('and written after the response, has the shared space: the full turf is not sold over it', async () => {
    const place = await prepare();
    const reply = await holdHalfAfter(sharing(place), place, sellsAt());
    expect([await spaceOf(place, reply), await holdFull(place)]).toEqual(['shared', TAKEN]);
  });

  test('and written after the full turf was sold, is rejected', async () => {
    const place = await prepare();
    const selling = async () => {
      await sharing(place)();
      expect(await holdFull(place)).toBe('201');
    };
    expect(verdict(await holdHalfAfter(selling, place, sellsAt()))).toBe(TAKEN);
  });

  test('control: is sold over if its process ignores the end of its lease', async () => {
    const place = await prepare();
    const reply = await ignoringLeases(sellsAt(), () => holdHalfAfter(sharing(place), place, sellsAt()));
    expect([await spaceOf(place, reply), await holdFull(place)]).toEqual(['own', '201']);
  });
});

describe('a hold on the half that another process places from its cache after the relation is written', () => {
  /** Places a hold that the sharing call does not see when it first looks for claims; returns both responses. */
  async function race(place: Halves): Promise<{ reply: Reply; shared: Reply }> {
    const held: Promise<Reply>[] = [];
    const isDrafted = latch();
    const sharedOrLate = latch();
    const draft = async () => {
      await cacheOf(slowToo).readAnew();
      await place.cacheVenue();
      const beingShared = async () => {
        isDrafted.open();
        await Promise.race([sharedOrLate.opened, delay(WITHIN_SLOW_MS)]);
      };
      held.push(holdHalfAfter(beingShared, place, slowToo));
      await isDrafted.opened;
    };
    // The first such call writes the relation.
    const sharing = collectionCallsOf(slow).beforeNext('resources.findOneAndUpdate', draft, place.share);
    const shared = await sharing.finally(sharedOrLate.open);
    const [reply] = await Promise.all(held);
    if (reply === undefined) throw new Error('Nothing was held');
    return { reply, shared };
  }

  test('gets the shared space before the response to the change', async () => {
    const place = await createHalves(slow, slowToo);
    const { reply, shared } = await race(place);
    expect([verdict(reply), verdict(shared)]).toEqual(['201', '200']);
    expect([await spaceOf(place, reply, slow), await holdFull(place)]).toEqual(['shared', TAKEN]);
  });

  test('and overlaps a claim on the full turf: the relation is rejected, and the full turf stays inactive', async () => {
    const place = await createHalves(slow, slowToo);
    expect(await holdFull(place)).toBe('201');
    const { reply, shared } = await race(place);
    expect([verdict(reply), verdict(shared)]).toEqual(['201', '400 VALIDATION_ERROR shares_space_with']);
    const path = `/api/v1/operator/resources/${place.full}`;
    expect(expectStatus(await operatorOf(slow).get(path), 200)['status']).toBe('inactive');
    expect(verdict(await hold(place.rival, place.slotAt(place.full, '0700')))).toBe(TAKEN);
  });

  test('control: is sold over if the change does not wait for the lease of its process', async () => {
    const place = await createHalves(slow, slowToo);
    await cacheOf(slowToo).readAnew();
    const sharing = async () => expectStatus(await place.share(), 200);
    const reply = await waitingForNoLease(slow, () => holdHalfAfter(sharing, place, slowToo));
    expect([await spaceOf(place, reply, slow), await holdFull(place)]).toEqual(['own', '201']);
  });
});
