import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { createClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { anyPartner, anyVenue, bookSlot, freeSlotIds, operatorOf, placeHold } from '../support/factories.ts';
import { hostedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';
import type * as Watched from './guards.in-host.ts';

const GUARD = 'one_claim_per_cell';
const MISSING_GUARDS = 'the database lacks indexes or validators, so nothing can be sold';

const service = await hostedService();
const { listenWatched, failChecks, listMissingGuards } = service.inHost<typeof Watched>('test/http/guards.in-host.ts');
afterAll(() => service.stop());
const listeners = await listenWatched();
const partner = await anyPartner(service);
beforeEach(async () => {
  await service.migrate();
  await eventually('calls to be served', serves);
});

const reservations = () => service.context.db.collection('reservations');
const watched = () => createClient(listeners.url, partner.apiKey);
const call = () => watched().get('/api/v1/partner/venues');
const admin = () => operatorOf(listeners);
const serves = async () => (await call()).status === 200;
const countErrorLines = async () => (await service.logs()).split(MISSING_GUARDS).length - 1;

test('dropping an index stops every call of the API, with one error line, until the database is migrated', async () => {
  const before = await countErrorLines();
  await reservations().dropIndex(GUARD);
  const rejection = await eventually('a call to be rejected', async () => {
    const reply = await call();
    return reply.status === 503 && reply;
  });

  expect(verdict(rejection)).toBe('503 SERVICE_UNAVAILABLE');
  expect(rejection.headers.get('retry-after')).toBe('1');
  expect(rejection.text).not.toContain(GUARD);
  const change = await admin().post('/api/v1/operator/partners', {});
  expect([verdict(change), change.headers.get('retry-after')]).toEqual(['503 SERVICE_UNAVAILABLE', '1']);
  expect(verdict(await watched().get('/api/v1/nothing'))).toBe('404 ROUTE_NOT_FOUND');
  expect(await watched().get('/readyz')).toMatchObject({ status: 503, body: { missing_indexes: [GUARD] } });
  expect((await watched().get('/healthz')).status).toBe(200);
  expect(await countErrorLines()).toBe(before + 1);
  expect(await service.logs()).toMatch(new RegExp(`"level":"error"[^\\n]*"${GUARD}"[^\\n]*npm run migrate`));
  // Control: only the watch rejects calls; without it, the call succeeds.
  expect(verdict(await partner.api.get('/api/v1/partner/venues'))).toBe('200');

  await service.migrate();
  await eventually('calls to be served again', serves);
  expect((await watched().get('/readyz')).status).toBe(200);
});

test('an index with another filter, and a validator that is missing or only warns, count as missing guards', async () => {
  const { db } = service.context;
  const command = (fields: Record<string, unknown>) => db.db?.command({ collMod: 'reservations', ...fields });
  await reservations().dropIndex(GUARD);
  await db.db?.command({
    createIndexes: 'reservations',
    indexes: [{ name: GUARD, key: { cells: 1 }, unique: true, partialFilterExpression: { status: 'BOOKED' } }],
  });
  expect(await listMissingGuards()).toEqual([GUARD]);
  await reservations().dropIndex(GUARD);
  await service.migrate();
  expect(await listMissingGuards()).toEqual([]);

  await command({ validationAction: 'warn' });
  expect(await listMissingGuards()).toEqual(['reservations_validator']);
  await eventually('calls to be rejected', async () => !(await serves()));
  await command({ validationAction: 'error', validator: {} });
  expect(await listMissingGuards()).toEqual(['reservations_validator']);
});

test('an operator can undo a double sale made without the index, and then the database can be migrated', async () => {
  const venue = await anyVenue(service);
  const seller = await anyPartner(service, [venue.id]);
  const [slotId = '', heldSlot = ''] = await freeSlotIds(seller, venue.id);
  const { hold_id: holdId } = await placeHold(seller, heldSlot);
  await reservations().dropIndex(GUARD);
  await eventually('calls to be rejected', async () => !(await serves()));
  // Control: without checks and without the index, a slot is sold twice.
  const [booking] = [await bookSlot(seller, slotId), await bookSlot(seller, slotId)];
  await expect(service.migrate()).rejects.toThrow(/duplicate key.*one_claim_per_cell/);
  // The database lists an index while building it, so calls may have passed meanwhile.
  await eventually('calls to be rejected again', async () => !(await serves()));

  const path = `/api/v1/operator/bookings/${String(booking['booking_id'])}`;
  expect(verdict(await admin().post('/api/v1/operator/walk-ins', {}))).toBe('503 SERVICE_UNAVAILABLE');
  expect(verdict(await admin().get(path))).toBe('200');
  const undone = await admin().post(`${path}/cancel`, { reason: 'Sold twice', idempotency_key: 'undo' });
  expect(verdict(undone)).toBe('200');
  const release = `/api/v1/operator/holds/${String(holdId)}/release`;
  expect(verdict(await admin().post(release, { reason: 'Held twice' }))).toBe('200');
  await service.migrate();
  await eventually('calls to be served again', serves);
});

test('a failed check stops no calls', async () => {
  await failChecks();
  // Control: the checks do fail.
  expect(await watched().get('/readyz')).toMatchObject({ status: 503, body: { database: 'unreachable' } });
  expect(await serves()).toBe(true);
});
