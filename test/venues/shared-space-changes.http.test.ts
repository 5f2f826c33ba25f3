import { afterAll, describe, expect, test } from '@jest/globals';
import { confirm, end, release, hold as sendHold } from '../conformance/steps.ts';
import type { Reply } from '../support/client.ts';
import { collectionCallsOf } from '../support/collection-calls.ts';
import type { Json, Partner } from '../support/factories.ts';
import {
  anyPartner,
  anyResource,
  anyResourceBody,
  anyVenue,
  bookSlot,
  dateIn,
  expectStatus,
  operatorOf,
  placeHold,
} from '../support/factories.ts';
import { latch } from '../support/latch.ts';
import { rowsOf } from '../support/rows.ts';
import { scaled } from '../support/scale.ts';
import { hostedService } from '../support/service-host.ts';
import { errorOf, verdict } from '../support/verdict.ts';

const DATE = dateIn(3);
/** Slots at 06:00, 07:00, 08:00 and 09:00 UTC. */
const MORNING = { operating_hours_start: '06:00', operating_hours_end: '10:00' };
const ROUNDS = scaled(10, 3);
const TAKEN = '409 SLOT_NOT_AVAILABLE';

const service = await hostedService();
const calls = collectionCallsOf(service);
afterAll(() => service.stop());

/** Three resources of one venue that share nothing yet. */
async function createPlace() {
  const resources = ['North', 'Full', 'Court'].map((name) => ({ ...MORNING, name }));
  const venue = await anyVenue(service, resources, { time_zone: 'UTC' });
  const [north = '', full = '', court = ''] = venue.resourceIds;
  const [seller, rival] = [await anyPartner(service, [venue.id]), await anyPartner(service, [venue.id])];
  return { venueId: venue.id, north, full, court, seller, rival };
}

const at = (resourceId: string, time: string) => `${resourceId}_${DATE.replaceAll('-', '')}T${time}Z`;
const hold = async (caller: Partner, slotId: string) => verdict(await sendHold(caller, slotId));
const walkIn = async (slotId: string) =>
  verdict(await operatorOf(service).post('/api/v1/operator/walk-ins', { slot_id: slotId }));
const change = (resourceId: string, body: Json) =>
  operatorOf(service).patch(`/api/v1/operator/resources/${resourceId}`, body);
const share = (resourceId: string, others: string[]) => change(resourceId, { shares_space_with: others });
const read = async (resourceId: string) =>
  expectStatus(await operatorOf(service).get(`/api/v1/operator/resources/${resourceId}`), 200);
const sharesOf = async (...ids: string[]) => Promise.all(ids.map(async (id) => (await read(id))['shares_space_with']));

/** How many claims of one resource overlap claims of the other. */
async function overlaps(one: string, other: string): Promise<number> {
  const claimsOf = (resourceId: string) => rowsOf(service, 'reservations', { resourceId, claimed: true });
  const [claims, others] = [await claimsOf(one), await claimsOf(other)];
  return claims.filter((a) => others.some((b) => a.slotStart < b.slotEnd && b.slotStart < a.slotEnd)).length;
}

/** The call that adds cells to an existing claim. */
const ADDING_CELLS = 'reservations.findOneAndUpdate';

/** Makes `call`, and calls `meanwhile` before each addition of cells to an existing claim. */
const addingCellsAfter = <T>(meanwhile: (turn: number) => Promise<unknown>, call: () => Promise<T>) =>
  calls.beforeEvery(ADDING_CELLS, meanwhile, call);

describe('a resource that begins to share space', () => {
  test('stays on sale, is listed by the others, and cannot be sold over claims on either side', async () => {
    const place = await createPlace();
    await placeHold(place.seller, at(place.north, '0600'));
    await bookSlot(place.seller, at(place.full, '0700'));
    const shared = expectStatus(await share(place.full, [place.north, place.court]), 200);
    expect(shared).toMatchObject({ shares_space_with: [place.north, place.court], status: 'active' });
    expect(await sharesOf(place.north, place.court)).toEqual([[place.full], [place.full]]);
    expect(await hold(place.rival, at(place.full, '0600'))).toBe(TAKEN);
    expect(await hold(place.rival, at(place.north, '0700'))).toBe(TAKEN);
    expect(await walkIn(at(place.north, '0700'))).toBe(TAKEN);
    expect(await hold(place.rival, at(place.full, '0800'))).toBe('201');
    expect(await hold(place.rival, at(place.north, '0800'))).toBe(TAKEN);
  });

  test('control: would be sold twice if existing claims did not cover the shared space', async () => {
    const place = await createPlace();
    await placeHold(place.seller, at(place.north, '0600'));
    const resources = service.context.db.collection('resources');
    for (const [id, other] of [[place.north, place.full] as const, [place.full, place.north] as const])
      await resources.updateOne({ _id: id as never }, { $set: { sharesSpaceWith: [other] } });
    expect(await hold(place.rival, at(place.full, '0600'))).toBe('201');
    expect(await overlaps(place.north, place.full)).toBe(1);
    // Naming the resource again does not hide the overlap.
    expect(verdict(await share(place.full, [place.north]))).toBe('400 VALIDATION_ERROR shares_space_with');
  });

  test('is rejected if claims on both sides already overlap, and stays as it was', async () => {
    const place = await createPlace();
    await placeHold(place.seller, at(place.north, '0600'));
    const inTheWay = await placeHold(place.rival, at(place.full, '0600'));
    const reply = await share(place.full, [place.north]);
    expect(verdict(reply)).toBe('400 VALIDATION_ERROR shares_space_with');
    expect(errorOf(reply).message).toContain(`${DATE}T06:00:00.000Z`);
    expect(await read(place.full)).toMatchObject({ shares_space_with: [], status: 'active' });
    expect(await hold(place.seller, at(place.full, '0700'))).toBe('201');
    expect(await hold(place.rival, at(place.north, '0700'))).toBe('201');
    await release(place.rival, inTheWay['hold_id']);
    expect(verdict(await share(place.full, [place.court]))).toBe('200');
  });

  test('cannot share with a missing resource, one of another venue, or itself', async () => {
    const [{ full, north }, otherPlace] = [await createPlace(), await createPlace()];
    for (const other of ['nowhere', otherPlace.north, full]) {
      const reply = await change(full, { shares_space_with: [north, other], name: 'Other' });
      expect(verdict(reply)).toBe('400 VALIDATION_ERROR shares_space_with');
    }
    expect(await read(full)).toMatchObject({ name: 'Full', shares_space_with: [], status: 'active' });
    expect(await sharesOf(north)).toEqual([[]]);
  });

  test('is off sale while cells of the shared space are added to existing claims', async () => {
    const place = await createPlace();
    await placeHold(place.seller, at(place.north, '0600'));
    const answers: string[] = [];
    const sell = async () => {
      const reply = await sendHold(place.rival, at(place.full, '0600'));
      answers.push(String(errorOf(reply).conflict?.['reason']), await walkIn(at(place.full, '0600')));
    };
    expectStatus(await addingCellsAfter(sell, () => share(place.full, [place.north])), 200);
    // `sell` ran twice: before the resources named each other, and after.
    expect(answers).toEqual(['inactive', TAKEN, 'inactive', TAKEN]);
    expect(await overlaps(place.full, place.north)).toBe(0);
    expect(await hold(place.rival, at(place.full, '0700'))).toBe('201');
  });

  test('is on sale again after all concurrent changes', async () => {
    const place = await createPlace();
    await placeHold(place.seller, at(place.north, '0600'));
    let second: Promise<Reply> | undefined;
    const [secondIsIn, firstIsOver] = [latch(), latch()];
    const overtake = async (turn: number) => {
      if (turn === 1) {
        second = share(place.full, [place.north]);
        await secondIsIn.opened;
      } else if (turn === 2) {
        secondIsIn.open();
        await firstIsOver.opened;
      }
    };
    await addingCellsAfter(overtake, async () => {
      try {
        expectStatus(await share(place.full, [place.north]), 200);
        expect(await read(place.full)).toMatchObject({ status: 'inactive' });
      } finally {
        firstIsOver.open();
      }
      expect((await second)?.status).toBe(200);
    });
    expect(await read(place.full)).toMatchObject({ shares_space_with: [place.north], status: 'active' });
    for (let round = 0; round < 2; round += 1) {
      await Promise.all([[], [place.north], [place.court], [place.north]].map((others) => share(place.full, others)));
      expect(await read(place.full)).toMatchObject({ status: 'active' });
    }
  });

  test('stays inactive if an operator makes it inactive meanwhile', async () => {
    const place = await createPlace();
    await placeHold(place.seller, at(place.north, '0600'));
    const stopSales = () => change(place.full, { status: 'inactive' });
    expectStatus(await addingCellsAfter(stopSales, () => share(place.full, [place.north])), 200);
    expect(await read(place.full)).toMatchObject({ shares_space_with: [place.north], status: 'inactive' });
    expectStatus(await share(place.full, [place.north, place.court]), 200);
    expect(await read(place.full)).toMatchObject({ status: 'inactive' });
  });

  test('has no overlapping claims after a race with holds on both sides', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const place = await createPlace();
      const times = ['0600', '0700', '0800', '0900'];
      const begin = async (trips: number, work: () => Promise<unknown>) => {
        for (let trip = 0; trip < trips; trip += 1) await place.seller.api.get('/healthz');
        return work();
      };
      const [shared] = await Promise.all([
        begin(round, () => share(place.full, [place.north])),
        // Hold Full at the first two times and North at the last two; afterwards the other way round.
        ...times.map((time, index) =>
          begin(index * 2, () => hold(place.seller, at(index < 2 ? place.full : place.north, time))),
        ),
      ]);
      expect(shared).toMatchObject({ status: 200 });
      for (const [index, time] of times.entries())
        await hold(place.rival, at(index < 2 ? place.north : place.full, time));
      expect(await overlaps(place.full, place.north)).toBe(0);
    }
  });
});

test('a resource that no longer shares space is sold independently, whatever was sold before', async () => {
  const place = await createPlace();
  expectStatus(await share(place.full, [place.north, place.court]), 200);
  await bookSlot(place.seller, at(place.full, '0600'));
  expect(await hold(place.rival, at(place.north, '0600'))).toBe(TAKEN);
  expectStatus(await share(place.full, [place.court]), 200);
  expect(await sharesOf(place.full, place.north, place.court)).toEqual([[place.court], [], [place.full]]);
  expect(await hold(place.rival, at(place.north, '0600'))).toBe('201');
  expect(await hold(place.rival, at(place.court, '0600'))).toBe(TAKEN);
  // North and Full are both sold at 06:00, so they cannot share space again.
  expect(verdict(await share(place.north, [place.full]))).toBe('400 VALIDATION_ERROR shares_space_with');
  expectStatus(await share(place.full, []), 200);
  expect(await sharesOf(place.full, place.court)).toEqual([[], []]);
});

test('concurrently added resources of one name keep their own shared space', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const venue = await anyVenue(service, [{ name: 'Half' }]);
    const [half = ''] = venue.resourceIds;
    const [sharing, alone] = await Promise.all([
      anyResource(service, venue.id, { name: 'Full', shares_space_with: [half] }),
      anyResource(service, venue.id, { name: 'Full' }),
    ]);
    expect(await sharesOf(half, sharing, alone)).toEqual([[sharing], [half], []]);
  }
});

describe('claims made before two resources share space', () => {
  test('may exist on both halves at the same time, and block the whole until both have ended', async () => {
    const { venueId, north, court: south, seller, rival } = await createPlace();
    const [mine, theirs] = [await bookSlot(seller, at(north, '0600')), await bookSlot(rival, at(south, '0600'))];
    const whole = await anyResource(service, venueId, { ...MORNING, name: 'Whole', shares_space_with: [north, south] });
    const cancel = async (caller: Partner, booking: Json) =>
      verdict(await end(caller, 'cancel', booking['booking_id']));
    expect(await cancel(seller, mine)).toBe('200');
    expect(await hold(seller, at(whole, '0600'))).toBe(TAKEN);
    expect(await cancel(rival, theirs)).toBe('200');
    expect(await hold(seller, at(whole, '0600'))).toBe('201');
  });

  test('do not prevent sharing if those on the other side have expired', async () => {
    const { north, full, seller, rival } = await createPlace();
    const expiredHolds = [await placeHold(rival, at(full, '0600')), await placeHold(rival, at(north, '0700'))];
    const live = [await placeHold(seller, at(north, '0600')), await placeHold(seller, at(full, '0700'))];
    const ids = expiredHolds.map(({ hold_id: id }) => id as never);
    const past = { $set: { holdExpiresAt: new Date() } };
    await service.context.db.collection('reservations').updateMany({ _id: { $in: ids } }, past);
    expect(verdict(await share(north, [full]))).toBe('200');
    for (const { hold_id: id } of live) expect(verdict(await confirm(seller, id))).toBe('201');
  });
});

test('a resource whose creation fails halfway is off sale until a PATCH completes it', async () => {
  const venue = await anyVenue(service, [{ ...MORNING, name: 'Half' }], { time_zone: 'UTC' });
  const [half = ''] = venue.resourceIds;
  const [seller, rival] = [await anyPartner(service, [venue.id]), await anyPartner(service, [venue.id])];
  await placeHold(seller, at(half, '0600'));
  await calls.loseEach(ADDING_CELLS);
  const path = `/api/v1/operator/venues/${venue.id}/resources`;
  const body = anyResourceBody({ ...MORNING, name: 'Full', shares_space_with: [half] });
  const reply = await operatorOf(service).post(path, body);
  await calls.restore(ADDING_CELLS);
  expect(verdict(reply)).toBe('503 SERVICE_UNAVAILABLE');

  const listed = expectStatus(await operatorOf(service).get(path), 200)['data'] as Json[];
  const full = String(listed.find((each) => each['name'] === 'Full')?.['resource_id']);
  expect(await read(full)).toMatchObject({ status: 'inactive' });
  expect([await hold(rival, at(full, '0600')), await walkIn(at(full, '0600'))]).toEqual([TAKEN, TAKEN]);
  expectStatus(await change(full, { shares_space_with: [half], status: 'active' }), 200);
  expect(await hold(rival, at(full, '0600'))).toBe(TAKEN);
  expect(await hold(rival, at(full, '0700'))).toBe('201');
  expect(await hold(seller, at(half, '0700'))).toBe(TAKEN);
});
