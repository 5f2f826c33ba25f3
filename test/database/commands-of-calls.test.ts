import { afterAll, describe, expect, test } from '@jest/globals';
import type * as Commands from '../support/commands.in-host.ts';
import { eventually } from '../support/eventually.ts';
import {
  anyPartner,
  anyVenue,
  bookSlot,
  confirmBody,
  dateIn,
  expectStatus,
  freeSlotIds,
  type Json,
  placeHold,
} from '../support/factories.ts';
import { monitoredUri } from '../support/service-environment.ts';
import { hostedService } from '../support/service-host.ts';

const COURTS = 20;

/** A lease longer than any call, so that the counts do not depend on the machine's load. */
const CACHE_LEASE_MS = '10000';
/** A read of cached rules. */
const CACHE_READ = 'aggregate cache_leases';
/** Use of a key, clock comparison, reads of cached rules and the primary's confirmation of them. */
const PERIODIC = ['update api_keys', 'hello 1', CACHE_READ, 'find cache_leases'];
const INSERT = 'update reservations';
const HOLDS = 'aggregate reservations';
const CHANGE = 'findAndModify reservations';

const service = await hostedService({ overrides: { MONGODB_URI: monitoredUri(), CACHE_LEASE_MS } });
const { takeCommands, watchCommands } = service.inHost<typeof Commands>('test/support/commands.in-host.ts');
const venue = await anyVenue(
  service,
  Array.from({ length: COURTS }, () => ({})),
);
const partner = await anyPartner(service, [venue.id]);
const slotIds = await freeSlotIds(await anyPartner(service, [venue.id]), venue.id, dateIn(3));
await watchCommands();
afterAll(() => service.stop());

const nextSlot = () => slotIds.shift() ?? '';

/** The commands of a call, without periodic ones: use of a key, clock comparison, reads of cached rules. */
async function commandsOf(call: () => Promise<unknown>): Promise<string[]> {
  await takeCommands();
  await call();
  return (await takeCommands()).filter((command) => !PERIODIC.includes(command));
}

test('a search at twenty venues takes at most five reads, not counting rules and keys, and one of them for all claims', async () => {
  const venues = await Promise.all(Array.from({ length: 20 }, () => anyVenue(service)));
  const venueIds = venues.map(({ id }) => id);
  const searcher = await anyPartner(service, venueIds);
  const query = new URLSearchParams({ date: dateIn(3), venue_ids: venueIds.join(','), sport: 'football' });
  const search = async () => expectStatus(await searcher.api.get(`/api/v1/slots/search?${query.toString()}`), 200);
  await search();
  const commands = await commandsOf(search);
  expect(commands.filter((command) => command === HOLDS).length).toBeLessThanOrEqual(1);
  expect(commands.filter((command) => command !== 'aggregate api_keys').length).toBeLessThanOrEqual(5);
  expect(commands.filter((command) => !/^(find|aggregate|distinct) /.test(command))).toEqual([]);
});

describe('a hold', () => {
  const hold = () => commandsOf(() => placeHold(partner, nextSlot()));

  test('reads the key twice, on arrival and before placing, and the uncached slot, venue and grant', async () => {
    // A venue that is not cached.
    const { resourceIds, id } = await anyVenue(service);
    const caller = await anyPartner(service, [id]);
    const [slotId = ''] = await freeSlotIds(partner, venue.id, dateIn(3));
    const slot = slotId.replace(/^.*_/, `${resourceIds[0] ?? ''}_`);
    await takeCommands();
    await placeHold(caller, slot);
    const commands = await takeCommands();
    // The key is cached after its first complete use.
    expect(commands.filter((command) => !PERIODIC.includes(command))).toEqual(['aggregate api_keys', INSERT]);
    // One read for the key and the slot's venue, one for rules and grant, and perhaps a periodic one.
    const cacheReads = commands.filter((command) => command === CACHE_READ).length;
    expect(cacheReads).toBeGreaterThanOrEqual(2);
    expect(cacheReads).toBeLessThanOrEqual(3);
  });

  test('is one write if key and venue are cached', async () => {
    await hold();
    await hold();
    expect(await hold()).toEqual([INSERT]);
    const [first, other] = [partner, await anyPartner(service, [venue.id])];
    const both = () => Promise.all([placeHold(first, nextSlot()), placeHold(other, nextSlot())]);
    await commandsOf(both);
    await commandsOf(both);
    // Two concurrent holds may share one write.
    expect(new Set(await commandsOf(both))).toEqual(new Set([INSERT]));
  });

  test('that loses its slot is one write and the reads of reason and alternatives; a repeated one is one read', async () => {
    const slotId = nextSlot();
    await placeHold(await anyPartner(service, [venue.id]), slotId);
    const lose = async (fields: Json = {}) =>
      expectStatus(await partner.api.post('/api/v1/partner/holds', { slot_id: slotId, ...fields }), 409);
    expect(await commandsOf(lose)).toEqual([INSERT, HOLDS, HOLDS]);
    // On a busy machine the alternatives may be half a second old and read again: then repeat the call.
    const untilCommands = (fields: Json, commands: readonly string[]) =>
      eventually(`a repetition with ${commands.join()}`, async () => {
        expect(await commandsOf(() => lose(fields))).toEqual(commands);
        return true;
      });
    await untilCommands({}, [HOLDS]);
    // With an idempotency key, the call also looks up the hold that it placed before.
    await untilCommands({ idempotency_key: slotId }, [HOLDS, 'find reservations']);
    const manyLosers = await commandsOf(() => Promise.all(Array.from({ length: 64 }, () => lose())));
    expect(manyLosers.length).toBeLessThanOrEqual(64);
    expect(new Set(manyLosers)).toEqual(new Set([HOLDS]));
  });
});

test('a confirm reads the hold and changes it; an extension also reads the grant', async () => {
  const holdId = String((await placeHold(partner, nextSlot()))['hold_id']);
  const extend = () => partner.api.post(`/api/v1/partner/holds/${holdId}/extend`, { ttl_seconds: 1800 });
  expect(await commandsOf(async () => expectStatus(await extend(), 200))).toEqual([HOLDS, CHANGE]);
  const confirm = () => partner.api.post('/api/v1/bookings/confirm', confirmBody(holdId));
  expect(await commandsOf(async () => expectStatus(await confirm(), 201))).toEqual([HOLDS, CHANGE]);
});

test('availability reads only the claims of days that are not cached', async () => {
  await freeSlotIds(partner, venue.id, dateIn(3));
  expect(await commandsOf(() => freeSlotIds(partner, venue.id, dateIn(30)))).toEqual([HOLDS]);
});

test('a page of bookings is one read if its venues and resources are cached', async () => {
  const slotPerCourt = new Map(slotIds.map((slotId) => [slotId.slice(0, slotId.lastIndexOf('_')), slotId]));
  for (const slotId of slotPerCourt.values()) await bookSlot(partner, slotId);
  const list = async () => expectStatus(await partner.api.get('/api/v1/bookings?limit=50'), 200);
  expect(slotPerCourt.size).toBe(COURTS);
  await list();
  expect(await commandsOf(list)).toEqual([HOLDS]);
});
