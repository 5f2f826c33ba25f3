import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { readFeed, shortenFeed } from '../../src/events/feed.service.ts';
import { deleteAgedRows } from '../../src/operations/retention/aged-rows.store.ts';
import { createDatabaseClock } from '../../src/platform/clock.ts';
import type { Reservation } from '../../src/reservations/reservations.model.ts';
import { ENDED_HOLDS, PAST_BOOKINGS } from '../../src/reservations/retention.rules.ts';
import { DAY_MS, EVERY_KIND, keeping, purge } from '../retention/purging.ts';
import {
  anyPartner,
  anyVenue,
  bookSlot,
  dateIn,
  expectStatus,
  freeSlotIds,
  operatorOf,
  type Partner,
  placeHold,
} from '../support/factories.ts';
import { rowOf, rowsOf } from '../support/rows.ts';
import { type Service, startService } from '../support/service.ts';
import { verdict } from '../support/verdict.ts';

// Run the service in this process, because the tests set the clock of this process.
const service: Service = await startService();
let partner: Partner;
let slotIds: string[];
beforeAll(async () => {
  const venue = await anyVenue(service);
  partner = await anyPartner(service, [venue.id]);
  slotIds = await freeSlotIds(partner, venue.id, dateIn(5));
});
afterEach(() => {
  jest.useRealTimers();
});
afterAll(() => service.stop());

const anySlot = () => slotIds.shift() ?? '';
const reservations = () => service.context.db.collection<Reservation>('reservations');
const hold = (slotId: string) => partner.api.post('/api/v1/partner/holds', { slot_id: slotId });
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS);

/** Sets the clock of this process, which stands still until `jest.useRealTimers()`. Timers go on. */
function setClockAhead(days: number): void {
  jest.useFakeTimers({
    now: Date.now() + days * DAY_MS,
    doNotFake: [
      'clearImmediate',
      'clearInterval',
      'clearTimeout',
      'hrtime',
      'nextTick',
      'performance',
      'queueMicrotask',
      'setImmediate',
      'setInterval',
      'setTimeout',
    ],
  });
}

test('a purge on a host whose clock is 400 days ahead deletes no future booking, and its slot stays sold', async () => {
  const slots = [anySlot(), anySlot(), anySlot()];
  const holdIds: string[] = [];
  for (const slotId of slots) holdIds.push(String((await bookSlot(partner, slotId))['hold_id']));
  for (const holdId of holdIds) await service.dispatch(holdId);
  setClockAhead(400);
  await purge(service, { config: EVERY_KIND });
  jest.useRealTimers();
  expect(await rowsOf(service, 'reservations', { _id: { $in: holdIds } })).toHaveLength(3);
  expect(await rowsOf(service, 'events', { holdId: { $in: holdIds } })).toHaveLength(6);
  const sold = await Promise.all(slots.map(hold));
  expect(new Set(sold.map(verdict))).toEqual(new Set(['409 SLOT_NOT_AVAILABLE']));
});

describe('an API on a host whose clock is 400 days ahead', () => {
  test('keeps today’s event in the feed, and shows it', async () => {
    const venue = await anyVenue(service);
    const reader = await anyPartner(service, [venue.id]);
    const [slotId = ''] = await freeSlotIds(reader, venue.id);
    await service.dispatch(String((await placeHold(reader, slotId))['hold_id']));
    setClockAhead(400);
    await shortenFeed(service.context);
    const page = await readFeed(service.context, reader.id, { after: 0, limit: 10 });
    expect(page.events).toMatchObject([{ type: 'hold_created', slotId }]);
  });

  test('sells no slot twice when a resource begins to share space with a booked one', async () => {
    const { id, resourceIds } = await anyVenue(service, [{}, {}]);
    const seller = await anyPartner(service, [id]);
    const [half = '', whole = ''] = resourceIds;
    const slotsOf = async (resourceId: string) =>
      (await freeSlotIds(seller, id, dateIn(5))).filter((slotId) => slotId.startsWith(`${resourceId}_`));
    const [slotOfWhole = ''] = await slotsOf(whole);
    const [slotId = ''] = await slotsOf(half);
    await bookSlot(seller, slotId);
    setClockAhead(400);
    const shared = { shares_space_with: [half] };
    expectStatus(await operatorOf(service).patch(`/api/v1/operator/resources/${whole}`, shared), 200);
    jest.useRealTimers();
    const sold = await seller.api.post('/api/v1/partner/holds', { slot_id: slotOfWhole });
    expect(verdict(sold)).toBe('409 SLOT_NOT_AVAILABLE');
  });

  test('revokes a key at once', async () => {
    const leaving = await anyPartner(service);
    const keys = `/api/v1/operator/partners/${leaving.id}/keys`;
    const { data } = expectStatus(await operatorOf(service).get(keys), 200);
    const [{ key_id } = { key_id: '' }] = data as { key_id: string }[];
    setClockAhead(400);
    expect((await operatorOf(service).delete(`${keys}/${key_id}`)).status).toBe(204);
    jest.useRealTimers();
    expect(verdict(await leaving.api.get('/api/v1/partner/venues'))).toBe('401 INVALID_API_KEY');
    const revoked = await service.context.db.collection('api_keys').findOne({ partnerId: leaving.id });
    expect(revoked?.['revokedAt'].getTime()).toBeLessThan(inDays(1).getTime());
  });
});

test('the database clock returns the host’s wrong time until its first measurement, then MongoDB’s time', async () => {
  const { db, log } = service.context;
  const clock = createDatabaseClock({ now: () => inDays(400) }, db, log);
  const offMs = () => Math.abs(clock.now().getTime() - Date.now());
  expect(offMs()).toBeGreaterThan(399 * DAY_MS);
  await clock.measure();
  expect(offMs()).toBeLessThan(1000);
  expect(service.logs()).toContain('the clocks of this host and of MongoDB disagree');
});

test('audit rows are kept for the whole retention period, even if the host’s clock is 500 days behind', async () => {
  setClockAhead(-500);
  await operatorOf(service).post('/api/v1/operator/venues', { name: 'of a slow clock' });
  jest.useRealTimers();
  const attempts = () => service.context.db.collection('audit').find({ action: 'createVenue', status: 400 }).toArray();
  const written = await attempts();
  await purge(service, { config: keeping({ audit: 400 }) });
  expect(await attempts()).toEqual(written);
  expect(written.map(({ at }) => at > inDays(-1))).toEqual([true]);
});

const FAR_AHEAD = { before: inDays(400), days: 90 };

test('a purge with a cut-off ahead of the database’s clock deletes no booking whose slot has not ended, and no active hold', async () => {
  const booked = String((await bookSlot(partner, anySlot()))['hold_id']);
  const active = String((await placeHold(partner, anySlot()))['hold_id']);
  const ids = [booked, active];
  await reservations().updateMany({ _id: { $in: ids } }, { $set: { outbox: [] } });
  for (const rule of [PAST_BOOKINGS, ENDED_HOLDS])
    expect(await deleteAgedRows(service.context.db, rule, FAR_AHEAD, ids)).toBe(0);
  const { status } = await rowOf(service, 'reservations', { _id: active });
  expect(status).toBe('ACTIVE');
  // Control: the booking is deleted once its slot ended more than the retention period ago.
  const ended = { slotStart: inDays(-91), slotEnd: inDays(-91) };
  await reservations().updateOne({ _id: booked }, { $set: ended });
  expect(await deleteAgedRows(service.context.db, PAST_BOOKINGS, FAR_AHEAD, ids)).toBe(0);
  const inTime = { before: inDays(-90), days: 90 };
  expect(await deleteAgedRows(service.context.db, PAST_BOOKINGS, inTime, ids)).toBe(1);
});
