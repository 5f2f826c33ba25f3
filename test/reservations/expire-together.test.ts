import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from '@jest/globals';
import type { Reservation } from '../../src/reservations/reservations.model.ts';
import type * as Commands from '../support/commands.in-host.ts';
import { placeHold } from '../support/factories.ts';
import { rowOf, rowsOf } from '../support/rows.ts';
import { startScene } from '../support/scene.ts';
import { monitoredUri } from '../support/service-environment.ts';
import { hostedService } from '../support/service-host.ts';
import type * as ExpireTogether from './expire-together.in-host.ts';

const COUNT = 100;

const service = await hostedService({ overrides: { MONGODB_URI: monitoredUri() } });
const { expireBesideTransaction, expireTogether } = service.inHost<typeof ExpireTogether>(
  'test/reservations/expire-together.in-host.ts',
);
const { takeCommands, watchCommands } = service.inHost<typeof Commands>('test/support/commands.in-host.ts');
afterAll(() => service.stop());
await watchCommands();
const { partner, slot } = await startScene(service);
const { hold_id: templateId } = await placeHold(partner, slot());
const template = await rowOf(service, 'reservations', { _id: templateId });

/** Adds holds that expire at this instant; returns their ids. */
async function anyHolds(count: number, holdExpiresAt = new Date(1)): Promise<string[]> {
  const { holdOrdinal: _ordinal, ...fields } = template;
  const rows = Array.from({ length: count }, () => {
    const own = { _id: randomUUID(), cells: [randomUUID()] };
    return { ...fields, ...own, holdExpiresAt };
  });
  await service.context.db.collection<Reservation>('reservations').insertMany(rows);
  return rows.map(({ _id }) => _id);
}

/** The distinct combinations of status and events of these holds. */
async function outcomesOf(holdIds: readonly string[]): Promise<string[]> {
  const rows = await rowsOf(service, 'reservations', { _id: { $in: holdIds } });
  const outcomes = rows.map(({ status, outbox }) => `${status}: ${outbox.map(({ type }) => type).join()}`);
  return [...new Set(outcomes)];
}

const ALL_ENDED = { leftMs: [], failures: {} };
const EXPIRED = 'EXPIRED: hold_created,hold_expired';
const ACTIVE = 'ACTIVE: hold_created';

test(`${COUNT} expired holds need no more commands than one hold, and get one event each`, async () => {
  const holdIds = await anyHolds(COUNT);
  await takeCommands();
  expect(await expireTogether(holdIds)).toEqual(ALL_ENDED);
  const others = ['hello 1', 'aggregate cache_leases', 'find cache_leases'];
  const commands = (await takeCommands()).filter((command) => !others.includes(command));
  expect(commands).toEqual(['update reservations', 'aggregate reservations']);
  expect(await outcomesOf(holdIds)).toEqual([EXPIRED]);
});

test('a live hold stays and reports its remaining time; a missing one reports nothing', async () => {
  const [expired, live] = [await anyHolds(2), await anyHolds(1, new Date(Date.now() + 600_000))];
  const { leftMs } = await expireTogether([...expired, ...live, randomUUID()]);
  expect(leftMs).toHaveLength(1);
  expect(leftMs[0]).toBeGreaterThan(500_000);
  expect([await outcomesOf(expired), await outcomesOf(live)]).toEqual([[EXPIRED], [ACTIVE]]);
});

test('a hold locked by a transaction fails alone and delays no other', async () => {
  const holdIds = await anyHolds(10);
  const [locked = '', ...others] = holdIds;
  const { failures } = await expireBesideTransaction(holdIds, locked);
  expect(failures).toEqual({ [locked]: expect.stringMatching(/time limit/) });
  expect([await outcomesOf(others), await outcomesOf([locked])]).toEqual([[EXPIRED], [ACTIVE]]);
  expect(await expireTogether([locked])).toEqual(ALL_ENDED);
  expect(await outcomesOf([locked])).toEqual([EXPIRED]);
});
