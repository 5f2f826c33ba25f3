/* oxlint-disable jest/no-standalone-expect -- `testInFull` is `test` or `test.skip` */
import { afterAll, expect, jest, test } from '@jest/globals';
import { slotIdOf } from '../../src/catalog/slots/slot.rules.ts';
import { newId } from '../../src/platform/ids.ts';
import { cellsOf } from '../../src/reservations/cells.rules.ts';
import type { Reservation } from '../../src/reservations/reservations.model.ts';
import { eventually } from '../support/eventually.ts';
import { placeHold } from '../support/factories.ts';
import { freePort } from '../support/own-servers.ts';
import { releasing } from '../support/releases.ts';
import { rowOf, rowsOf } from '../support/rows.ts';
import { isLongTier } from '../support/scale.ts';
import { startScene } from '../support/scene.ts';
import { startService } from '../support/service.ts';
import { endProcesses, startProcess } from '../support/worker-process.ts';
import { expiredAtMs } from './claim-log.ts';
import { inSeconds } from './figures.ts';
import { report } from './report.ts';

jest.setTimeout(600_000);

const HOLDS = 3000;
/** How late a hold may expire if no job does it. */
const EXPIRES_WITHIN_MS = 15_000;

/** In `npm test`, test/reservations/expiry.race covers the same sweep with pages of three. */
const testInFull = isLongTier ? test : test.skip;

afterAll(endProcesses);
const atEnd = releasing(afterAll);

/** A copy of a hold for the `place`-th slot after its own. */
function copyOf(hold: Reservation, place: number): Reservation {
  const { resourceId, slotStart, slotEnd } = hold;
  const slotMs = slotEnd.getTime() - slotStart.getTime();
  const [start, end] = [slotStart, slotEnd].map((at) => new Date(at.getTime() + place * slotMs)) as [Date, Date];
  return {
    ...hold,
    _id: newId(),
    slotId: slotIdOf(resourceId, start),
    slotStart: start,
    slotEnd: end,
    cells: cellsOf([resourceId], start, end),
    holdOrdinal: (hold.holdOrdinal ?? 0) + place,
  };
}

testInFull(`without Redis, ${HOLDS} holds that are due at one instant expire within 15 s`, async () => {
  const service = await startService({ REDIS_URL: `redis://127.0.0.1:${await freePort()}` });
  atEnd(() => service.stop());
  const { partner, slot } = await startScene(service, { resources: [{ duration_minutes: 15 }] });
  const holdId = String((await placeHold(partner, slot()))['hold_id']);
  await service.dispatch(holdId);
  const hold = await rowOf(service, 'reservations', { _id: holdId });
  const reservations = service.context.db.collection<Reservation>('reservations');
  await reservations.insertMany(Array.from({ length: HOLDS - 1 }, (_, index) => copyOf(hold, index + 1)));
  for (const name of ['hold-expiry', 'webhook-delivery'])
    await startProcess(`workers/${name}.ts`, service.environment).ready;
  const none = async (filter: Record<string, unknown>) => (await reservations.countDocuments(filter)) === 0;

  await reservations.updateMany({}, [{ $set: { holdExpiresAt: { $add: ['$$NOW', 1000] } } }]);
  const [lapsing] = await rowsOf(service, 'reservations');
  const dueAtMs = lapsing?.holdExpiresAt.getTime() ?? 0;
  await eventually('they expire', () => none({ status: 'ACTIVE' }), 300_000);
  const endedAtMs = [...(await expiredAtMs(service)).values()];
  await eventually('the events are dispatched', () => none({ outboxSince: { $exists: true } }), 300_000);
  const expired = await rowsOf(service, 'events', { type: 'hold_expired' });

  const latestMs = Math.max(...endedAtMs) - dueAtMs;
  report({
    promise: 3,
    experiment: 'without Redis, holds expire at one instant',
    count: `${HOLDS} holds`,
    result: `latest hold expired ${inSeconds(latestMs)} s late, ${HOLDS - expired.length} events missing`,
  });
  expect([endedAtMs.length, expired.length]).toEqual([HOLDS, HOLDS]);
  expect(latestMs).toBeLessThan(EXPIRES_WITHIN_MS);
});
