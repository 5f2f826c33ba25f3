import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { anyPartner, anyVenue, freeSlotIds, placeHold } from '../support/factories.ts';
import { recordedCommands } from '../support/query-plans.ts';
import { rowsOf } from '../support/rows.ts';
import { hostedService } from '../support/service-host.ts';
import type * as Cost from './cost.in-host.ts';
import { insertDeadLetters, sweep } from './watching.ts';

const MANY = 2000;

const service = await hostedService();
const { readFigures } = service.inHost<typeof Cost>('test/alerts/cost.in-host.ts');
beforeAll(async () => {
  const venue = await anyVenue(service);
  const partner = await anyPartner(service, [venue.id]);
  const [slotId = ''] = await freeSlotIds(partner, venue.id);
  await placeHold(partner, slotId);
  await insertDeadLetters(
    service,
    'subscription',
    partner.id,
    Array.from({ length: MANY }, (_, n) => `d-${n}`),
  );
  const { db } = service.context;
  // Most rows have ended, and neither the watch nor a scrape may read them.
  const over = { $set: { state: 'succeeded', deadLetteredAt: null }, $unset: { isUncounted: '' } };
  await db.collection('deliveries').updateMany({}, over);
  const [row] = await rowsOf(service, 'reservations');
  const copies = Array.from({ length: MANY }, (_each, n) => {
    const { outboxSince: _none, ...copy } = { ...row, _id: `r-${n}` };
    return { ...copy, outbox: [], cells: [`cell-${n}`], status: 'CANCELLED', claimed: false };
  });
  await db.collection('reservations').insertMany(copies as never);
});
afterAll(() => service.stop());

const COLLECTIONS = /\.(deliveries|reservations|webhook_subscriptions|alerts)$/;

test('the watch and a scrape use indexes only, and read no ended rows', async () => {
  for (const work of [() => sweep(service), readFigures]) {
    const asked = await recordedCommands(service, COLLECTIONS, work);
    expect(asked.length).toBeGreaterThan(5);
    expect(asked.filter(({ planSummary = '' }) => planSummary.includes('COLLSCAN'))).toEqual([]);
    expect(asked.reduce((sum, { docsExamined = 0 }) => sum + docsExamined, 0)).toBeLessThan(20);
  }
});
