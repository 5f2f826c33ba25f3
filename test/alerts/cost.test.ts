import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { placeHold } from '../support/factories.ts';
import { recordedCommands } from '../support/query-plans.ts';
import { rowsOf } from '../support/rows.ts';
import { startScene } from '../support/scene.ts';
import { hostedService } from '../support/service-host.ts';
import { insertDeadLetters, sweep } from './watching.ts';

const MANY = 2000;

const service = await hostedService();
const scrape = () => fetch(`${service.adminUrl}/metrics`);
beforeAll(async () => {
  const { partner, slot } = await startScene(service);
  await placeHold(partner, slot());
  await insertDeadLetters(
    service,
    'subscription',
    partner.id,
    Array.from({ length: MANY }, (_, n) => `d-${n}`),
  );
  const { db } = service.context;
  // Most rows need no work any more, and neither the watch nor a scrape may read them.
  const delivered = { $set: { state: 'succeeded', deadLetteredAt: null }, $unset: { isUncounted: '' } };
  await db.collection('deliveries').updateMany({}, delivered);
  const [row] = await rowsOf(service, 'reservations');
  const copies = Array.from({ length: MANY }, (_each, n) => {
    const { outboxSince: _none, ...copy } = { ...row, _id: `r-${n}` };
    return { ...copy, outbox: [], cells: [`cell-${n}`], status: 'CANCELLED', claimed: false };
  });
  await db.collection('reservations').insertMany(copies as never);
});
afterAll(() => service.stop());

const COLLECTIONS = /\.(deliveries|reservations|webhook_subscriptions|alerts)$/;

test('the watch and a scrape only use indexes, and read no rows without pending work', async () => {
  for (const work of [() => sweep(service), scrape]) {
    const commands = await recordedCommands(service, COLLECTIONS, work);
    expect(commands.length).toBeGreaterThan(5);
    expect(commands.filter(({ planSummary = '' }) => planSummary.includes('COLLSCAN'))).toEqual([]);
    expect(commands.reduce((sum, { docsExamined = 0 }) => sum + docsExamined, 0)).toBeLessThan(20);
  }
});
