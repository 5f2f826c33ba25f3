import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Reservation } from '../../src/reservations/reservations.model.ts';
import { ENDED_HOLDS, PAST_BOOKINGS } from '../../src/reservations/retention.rules.ts';
import { deleteAgedRows } from '../../src/retention/aged-rows.store.ts';
import { DAY_MS, EVERY_KIND, purge } from '../retention/purging.ts';
import type { Partner } from '../support/factories.ts';
import { anyPartner, anyVenue, bookSlot, dateIn, freeSlotIds, placeHold } from '../support/factories.ts';
import { rowOf, rowsOf } from '../support/rows.ts';
import type { Service } from '../support/service.ts';
import { startService } from '../support/service.ts';
import { verdict } from '../support/verdict.ts';

// In this process, for its clock is set.
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

/** Sets the clock of this process, which then stands still until `jest.useRealTimers()`. Timers go on. */
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

describe('a purge on a host whose clock is 400 days ahead', () => {
  test('deletes no booking to come, and its slot stays sold', async () => {
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
});

describe('whatever cut-off and age it is given', () => {
  const FAR_AHEAD = { before: inDays(400), days: 90 };
  /** As of settings that no process starts with. */
  const NO_AGE = { before: inDays(400), days: -800 };

  test.each([
    ['a cut-off ahead of the database’s clock', FAR_AHEAD],
    ['a cut-off and an age that both lie ahead', NO_AGE],
  ])('a delete takes no booking whose slot has not ended and no active hold: %s', async (_what, cutOff) => {
    const booked = String((await bookSlot(partner, anySlot()))['hold_id']);
    const active = String((await placeHold(partner, anySlot()))['hold_id']);
    const ids = [booked, active];
    await reservations().updateMany({ _id: { $in: ids } }, { $set: { outbox: [] } });
    for (const rule of [PAST_BOOKINGS, ENDED_HOLDS])
      expect(await deleteAgedRows(service.context.db, rule, cutOff, ids)).toBe(0);
    const { status } = await rowOf(service, 'reservations', { _id: active });
    expect(status).toBe('ACTIVE');
    // Control: once its slot has ended as long ago as it is kept, the booking goes.
    const ended = { slotStart: inDays(-91), slotEnd: inDays(-91) };
    await reservations().updateOne({ _id: booked }, { $set: ended });
    expect(await deleteAgedRows(service.context.db, PAST_BOOKINGS, FAR_AHEAD, ids)).toBe(0);
    const inTime = { before: inDays(-90), days: 90 };
    expect(await deleteAgedRows(service.context.db, PAST_BOOKINGS, inTime, ids)).toBe(1);
  });
});
