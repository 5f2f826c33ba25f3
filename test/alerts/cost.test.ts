import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startProfile } from '../support/command-profile.ts';
import { anyPartner, anyVenue, freeSlotIds, placeHold } from '../support/factories.ts';
import { rowsOf } from '../support/rows.ts';
import { hostedService } from '../support/service-host.ts';
import type * as Cost from './cost.in-host.ts';
import { insertDeadLetters, sweep } from './watching.ts';

type Profiled = {
  ns: string;
  planSummary?: string;
  docsExamined?: number;
  keysExamined?: number;
  command: Record<string, unknown>;
};

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
  // What is over is most of what there is, and nothing of it may be looked at.
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

/** What the database was asked in `work`, by its own record. */
async function profile(work: () => Promise<unknown>): Promise<Profiled[]> {
  const { db } = service.context.db;
  if (db === undefined) throw new Error('The database is not connected');
  await startProfile(db);
  await work();
  await db.command({ profile: 0 });
  const rows = await db.collection<Profiled>('system.profile').find({}).toArray();
  await db.collection('system.profile').drop();
  return rows.filter(({ ns }) => /\.(deliveries|reservations|webhook_subscriptions|alerts)$/.test(ns));
}

const examined = (rows: readonly Profiled[]) => rows.reduce((sum, { docsExamined = 0 }) => sum + docsExamined, 0);
const scans = (rows: readonly Profiled[]) => rows.filter(({ planSummary = '' }) => planSummary.includes('COLLSCAN'));

test('neither the watch nor a scrape looks at what is over: all is found by index', async () => {
  for (const work of [() => sweep(service), readFigures]) {
    const asked = await profile(work);
    expect(asked.length).toBeGreaterThan(5);
    expect(scans(asked)).toEqual([]);
    expect(examined(asked)).toBeLessThan(20);
  }
});
