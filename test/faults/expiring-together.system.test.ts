/* oxlint-disable jest/no-standalone-expect -- `testInFull` is `test` or `test.skip` */
import { afterAll, expect, jest, test } from '@jest/globals';
import { slotIdOf } from '../../src/catalog/slots/slot.rules.ts';
import { newId } from '../../src/platform/ids.ts';
import { SERVICE } from '../../src/reservations/actor-types.ts';
import { cellsOf } from '../../src/reservations/cells.rules.ts';
import { insertHold } from '../../src/reservations/insert-claim.store.ts';
import { eventually } from '../support/eventually.ts';
import { anyVenue } from '../support/factories.ts';
import { freePort } from '../support/own-servers.ts';
import { releasing } from '../support/releases.ts';
import { rowsOf } from '../support/rows.ts';
import { isLongTier } from '../support/scale.ts';
import { type Service, startService } from '../support/service.ts';
import { endProcesses, startProcess } from '../support/worker-process.ts';
import { expiredAtMs } from './claim-log.ts';
import { inSeconds } from './figures.ts';
import { report } from './report.ts';

jest.setTimeout(600_000);

const HOLDS = 3000;
/** How late a hold may expire if no job does it. */
const EXPIRES_WITHIN_MS = 15_000;
const SLOT_MS = 15 * 60_000;
/** Concurrent callers that place the holds. */
const CALLERS = 16;

/** In `npm test`, test/reservations/expiry.race covers the same sweep with pages of three. */
const testInFull = isLongTier ? test : test.skip;

afterAll(endProcesses);
const atEnd = releasing(afterAll);

/** Inserts holds as calls would, but without calls, because only the expiry matters. */
async function placeHolds({ context: { db } }: Service, venueId: string, resourceId: string): Promise<void> {
  const firstMs = Math.ceil(Date.now() / SLOT_MS + 96) * SLOT_MS;
  const place = async (index: number) => {
    const [slotStart, slotEnd] = [0, 1].map((next) => new Date(firstMs + (index + next) * SLOT_MS)) as [Date, Date];
    const hold = {
      _id: newId(),
      partnerId: newId(),
      venueId,
      resourceId,
      slotId: slotIdOf(resourceId, slotStart),
      slotStart,
      slotEnd,
      cells: cellsOf([resourceId], slotStart, slotEnd),
      pricePaise: 120_000,
      ttlMs: 1_800_000,
      holdOrdinal: 0,
      attached: {},
      actor: SERVICE,
    };
    const lease = { beginBy: new Date(Date.now() + 60_000), maxTimeMS: 60_000 };
    expect(await insertHold(db, hold, lease, false)).toMatchObject({ status: 'ACTIVE' });
  };
  let placed = 0;
  const caller = async () => {
    while (placed < HOLDS) await place(placed++);
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
}

testInFull(`without Redis, ${HOLDS} holds that are due at one instant expire within 15 s`, async () => {
  const service = await startService({ REDIS_URL: `redis://127.0.0.1:${await freePort()}` });
  atEnd(() => service.stop());
  const venue = await anyVenue(service);
  await placeHolds(service, venue.id, String(venue.resourceIds[0]));
  for (const name of ['hold-expiry', 'webhook-delivery'])
    await startProcess(`workers/${name}.ts`, service.environment).ready;
  const reservations = service.context.db.collection('reservations');
  const none = async (filter: Record<string, unknown>) => (await reservations.countDocuments(filter)) === 0;
  const areDispatched = () => none({ outboxSince: { $exists: true } });
  await eventually('the events of placing are dispatched', areDispatched, 300_000);

  await reservations.updateMany({}, [{ $set: { holdExpiresAt: { $add: ['$$NOW', 1000] } } }]);
  const [lapsing] = await rowsOf(service, 'reservations');
  const dueAtMs = lapsing?.holdExpiresAt.getTime() ?? 0;
  await eventually('they expire', () => none({ status: 'ACTIVE' }), 300_000);
  const endedAtMs = [...(await expiredAtMs(service)).values()];
  await eventually('the events of expiry are dispatched', areDispatched, 300_000);
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
