import { afterAll, expect, test } from '@jest/globals';
import { mayBeUnreported } from '../../src/blackouts/blackout.rules.ts';
import type { Json } from '../support/factories.ts';
import { anyPartner, anyVenue, freeSlotIds, placeHold } from '../support/factories.ts';
import { hostedService } from '../support/service-host.ts';

const service = await hostedService();
afterAll(() => service.stop());

test('the database gives the write of a hold up long before a blackout takes it for reported', async () => {
  const venue = await anyVenue(service);
  const partner = await anyPartner(service, [venue.id]);
  const [slot = ''] = await freeSlotIds(partner, venue.id);
  const { db } = service.context.db;
  if (db === undefined) throw new Error('The database is not connected');
  await db.command({ profile: 2 });
  const holdId = (await placeHold(partner, slot))['hold_id'];
  await db.command({ profile: 0 });
  const written = await db
    .collection('system.profile')
    .findOne({ 'command.query._id': holdId, 'command.upsert': true });
  const maxTimeMs = Number((written?.['command'] as Json | undefined)?.['maxTimeMS']);
  expect(maxTimeMs).toBeGreaterThan(0);
  const placedAt = new Date();
  const madeAfter = (ms: number) => ({ createdAt: new Date(placedAt.getTime() + ms) });
  expect(mayBeUnreported({ placedAt }, madeAfter(2 * maxTimeMs))).toBe(true);
  expect(mayBeUnreported({ placedAt }, madeAfter(10 * maxTimeMs))).toBe(false);
});
