import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { confirm, end, hold as sendHold, release as sendRelease } from '../conformance/steps.ts';
import { createClient } from '../support/client.ts';
import type * as Commands from '../support/commands.in-host.ts';
import { eventually } from '../support/eventually.ts';
import type { Json, Partner } from '../support/factories.ts';
import { anyPartner, anyVenue, dateIn, expectStatus, operatorOf, placeHold, slotsOf } from '../support/factories.ts';
import { changeRow, rowOf } from '../support/rows.ts';
import { monitoredUri } from '../support/service-environment.ts';
import { hostedService } from '../support/service-host.ts';
import { errorOf } from '../support/verdict.ts';
import type * as InHost from './kept-responses.in-host.ts';

/** The longest time for which a response may be stale. */
const STALE_MS = 1000;
const CLAIMS_READ = 'aggregate reservations';

// The service caches responses for half a second only if the lease is longer than that.
const overrides = { CACHE_LEASE_MS: '2000', MONGODB_URI: monitoredUri() };
const writer = await hostedService({ overrides });
const reader = await hostedService({ overrides });
afterAll(async () => {
  await reader.stop({ keepsDatabase: true });
  await writer.stop();
});
const { takeCommands, watchCommands } = reader.inHost<typeof Commands>('test/support/commands.in-host.ts');
const { holdRead, hasRead, letGo } = reader.inHost<typeof InHost>('test/availability/kept-responses.in-host.ts');
await watchCommands();
const venue = await anyVenue(writer, [{}, {}]);
/** The partner as a caller of the other process. */
const elsewhere = await anyPartner(writer, [venue.id]);
const partner: Partner = { ...elsewhere, api: createClient(reader.url, elsewhere.apiKey) };
let day = 2;
/** Each test uses its own day, which is not cached yet. */
beforeEach(() => {
  day += 1;
});

const path = () => `/api/v1/slots/availability?venue_id=${venue.id}&date=${dateIn(day)}`;
const read = (caller: Partner = partner) => slotsOf(caller, venue.id, dateIn(day));
const reasonOf = async (slotId: unknown, caller: Partner = partner): Promise<unknown> => {
  const slot = (await read(caller)).find((each) => each['slot_id'] === slotId);
  return slot?.['is_available'] === true ? 'free' : slot?.['unavailable_reason'];
};

/** The commands that the reader sends for a call, without periodic commands. */
async function commandsOf(call: () => Promise<unknown>): Promise<string[]> {
  await takeCommands();
  await call();
  const others = /^(hello|update api_keys|(aggregate|find) cache_leases|killCursors)/;
  return (await takeCommands()).filter((command) => !others.test(command));
}

/** A free slot of a day that is now cached. */
async function freeSlot(): Promise<string> {
  const slot = (await read()).find((each) => each['is_available'] === true);
  return String(slot?.['slot_id']);
}

test('a response is cached for half a second, for all partners and forms', async () => {
  const other = await anyPartner(reader, [venue.id]);
  await read(other);
  const commandsOfReads = async () => {
    const etag = (await partner.api.get(path())).headers.get('etag') ?? '';
    return commandsOf(async () => {
      expect((await partner.api.get(path(), { 'if-none-match': etag })).status).toBe(304);
      expect(await read(other)).toEqual(await read());
    });
  };
  // Retry, because the machine may stall for half a second.
  await eventually('three reads in a row without a command', async () => (await commandsOfReads()).length === 0);
  await delay(600);
  expect(await commandsOf(() => read())).toContain(CLAIMS_READ);
});

test('concurrent calls share reads of the database', async () => {
  await read();
  await delay(600);
  const sent = await commandsOf(() => Promise.all(Array.from({ length: 50 }, () => read())));
  expect(sent.filter((each) => each === CLAIMS_READ).length).toBeLessThanOrEqual(5);
});

/** Each way in which a claim can begin, change or end, and the resulting state of the slot. */
const CHANGES: [string, (caller: Partner, slotId: string) => Promise<unknown>, string][] = [
  ['a hold', (caller, slotId) => placeHold(caller, slotId), 'held'],
  ['a hold that is released', (caller, slotId) => release(caller, slotId), 'free'],
  ['a booking', (caller, slotId) => book(caller, slotId), 'booked'],
  ['a booking that is cancelled', (caller, slotId) => cancel(caller, slotId), 'free'],
  ['a walk-in', (caller, slotId) => walkIn(caller, slotId), 'booked'],
  ['a walk-in that displaces a hold', (caller, slotId) => displace(caller, slotId), 'booked'],
];

const serviceOf = (caller: Partner) => (caller === partner ? reader : writer);
const hold = async (caller: Partner, slotId: string) => {
  const { hold_id: holdId } = await placeHold(caller, slotId);
  // Cache the slot as held, so that the next step changes a cached state.
  expect(await reasonOf(slotId, caller)).toBe('held');
  return holdId;
};
const release = async (caller: Partner, slotId: string) =>
  expectStatus(await sendRelease(caller, await hold(caller, slotId)), 200);
const book = async (caller: Partner, slotId: string) =>
  expectStatus(await confirm(caller, await hold(caller, slotId)), 201)['booking_id'];
const cancel = async (caller: Partner, slotId: string) => {
  const id = await book(caller, slotId);
  expect(await reasonOf(slotId, caller)).toBe('booked');
  return expectStatus(await end(caller, 'cancel', id), 200);
};
const walkIn = async (caller: Partner, slotId: string, more: Json = {}) => {
  const body = { slot_id: slotId, customer_name: 'Asha Rao', ...more };
  return expectStatus(await operatorOf(serviceOf(caller)).post('/api/v1/operator/walk-ins', body), 201);
};
const displace = async (caller: Partner, slotId: string) => {
  await hold(caller, slotId);
  return walkIn(caller, slotId, { override_holds: true });
};

test.each(CHANGES)('the next response shows a write of this process: %s', async (_what, change, reason) => {
  const slotId = await freeSlot();
  await change(partner, slotId);
  expect(await reasonOf(slotId)).toBe(reason);
});

test.each(CHANGES.slice(2, 4))('a write elsewhere is shown within a second: %s', async (_what, change, reason) => {
  const slotId = await freeSlot();
  await change(elsewhere, slotId);
  expect(await reasonInTime(slotId, reason)).toBe(reason);
});

/** Waits until availability returns the reason, at most a second. */
const reasonInTime = (slotId: string, reason: string) =>
  eventually(
    `availability to return ${reason}`,
    async () => {
      const current = await reasonOf(slotId);
      return current === reason && current;
    },
    STALE_MS,
  );

test('an expired hold is free immediately', async () => {
  const slotId = await freeSlot();
  const { hold_id: holdId } = await placeHold(elsewhere, slotId);
  // Changed directly in the database, where the reader does not notice it.
  await changeRow(writer, 'reservations', holdId, [{ $set: { holdExpiresAt: { $add: ['$$NOW', 1500] } } }]);
  const { holdExpiresAt } = await rowOf(writer, 'reservations', { _id: holdId });
  expect(await reasonInTime(slotId, 'held')).toBe('held');
  await eventually('the hold to expire', async () => (await reasonOf(slotId)) === 'free');
  const hello = await writer.context.db.db?.command({ hello: 1 });
  const now = hello?.['localTime'] as Date;
  expect(now.getTime()).toBeGreaterThanOrEqual(holdExpiresAt.getTime());
});

test('a read that overlaps a write of this process is not cached', async () => {
  const slotId = await freeSlot();
  await release(partner, slotId);
  await holdRead();
  const early = reasonOf(slotId);
  await hasRead();
  await placeHold(partner, slotId);
  await letGo();
  // The read came before the write. If it were cached, the next response would also say `free`.
  expect(await early).toBe('free');
  expect(await reasonOf(slotId)).toBe('held');
});

test('the alternatives omit a slot that a partner of another process has just taken', async () => {
  const [taken, ...others] = (await read()).map((slot) => slot['slot_id']);
  await placeHold(elsewhere, String(taken));
  const lost = await sendHold(partner, String(taken));
  expect(lost.status).toBe(409);
  const offered = errorOf(lost).conflict?.['alternatives'] as Json[];
  expect(offered.map((slot) => slot['slot_id'])).toContain(others[0]);
  expect(offered.map((slot) => slot['slot_id'])).not.toContain(taken);
});
