import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type * as Commands from '../support/commands.in-host.ts';
import type { Json, Partner, Venue } from '../support/factories.ts';
import {
  anyPartner,
  anyVenue,
  bookSlot,
  confirmBody,
  dateIn,
  expectStatus,
  freeSlotIds,
  placeHold,
} from '../support/factories.ts';
import { monitoredUri } from '../support/service-environment.ts';
import { hostedService } from '../support/service-host.ts';

const COURTS = 20;

/** A lease that no call outlives, so that the counts do not depend on how busy the machine is. */
const CACHE_LEASE_MS = '10000';
const VERSION = 'find cache_versions';

const service = await hostedService({ overrides: { MONGODB_URI: monitoredUri(), CACHE_LEASE_MS } });
const { takeCommands, watchCommands } = service.inHost<typeof Commands>('test/support/commands.in-host.ts');
let venue: Venue;
let partner: Partner;
let slotIds: string[];
/** How often the version of what is in memory was read, whatever the calls. */
let versionsRead = 0;
let watchedAt = 0;
beforeAll(async () => {
  venue = await anyVenue(
    service,
    Array.from({ length: COURTS }, () => ({})),
  );
  partner = await anyPartner(service, [venue.id]);
  slotIds = await freeSlotIds(await anyPartner(service, [venue.id]), venue.id, dateIn(3));
  await watchCommands();
  watchedAt = performance.now();
});
afterAll(() => service.stop());

const nextSlot = () => slotIds.shift() ?? '';

/** What a call sends, without what a process sends now and then whatever the call: the use of a key, and the clocks' comparison. */
async function commandsOf(call: () => Promise<unknown>): Promise<string[]> {
  await sent();
  await call();
  return sent();
}

async function sent(): Promise<string[]> {
  const commands = await takeCommands();
  versionsRead += commands.filter((command) => command === VERSION).length;
  const others = ['update api_keys', 'hello 1', VERSION];
  return commands.filter((command) => !others.includes(command));
}

const RULES = ['find venues', 'find resources', 'find blackouts'];

describe('a search of free slots', () => {
  const searched = async (count: number) => {
    const venues = await Promise.all(Array.from({ length: count }, () => anyVenue(service)));
    const venueIds = venues.map(({ id }) => id);
    const searcher = await anyPartner(service, venueIds);
    const query = new URLSearchParams({ date: dateIn(3), venue_ids: venueIds.join(','), sport: 'football' });
    const search = async () =>
      expectStatus(await searcher.api.get(`/api/v1/slots/search?${query.toString()}`), 200);
    await search();
    return commandsOf(search);
  };

  test('is five reads at most at twenty venues, beside rules and keys that are not in memory: the claims of all in one', async () => {
    const commands = await searched(20);
    expect(commands.filter((command) => command === 'aggregate reservations').length).toBeLessThanOrEqual(1);
    expect(
      commands.filter((command) => ![...RULES, 'aggregate api_keys'].includes(command)).length,
    ).toBeLessThanOrEqual(5);
    expect(commands.filter((command) => !/^(find|aggregate|distinct) /.test(command))).toEqual([]);
  });
});

describe('a hold', () => {
  const hold = () => commandsOf(() => placeHold(partner, nextSlot()));

  test('reads the key twice, when the call comes and under its lease, and what is not known yet of the venue and the grant', async () => {
    // Another venue, of which nobody has asked.
    const { resourceIds, id } = await anyVenue(service);
    const first = await anyPartner(service, [id]);
    const [slotId = ''] = await freeSlotIds(partner, venue.id, dateIn(3));
    const slot = slotId.replace(/^.*_/, `${resourceIds[0] ?? ''}_`);
    const commands = await commandsOf(() => placeHold(first, slot));
    expect([...commands].sort()).toEqual(
      [...KEY_TWICE, 'find resources', ...RULES, 'find grants', INSERT].sort(),
    );
    // The key is in memory once it was sent whole.
    expect(commands[0]).toBe('aggregate api_keys');
  });

  test('is one write where key and venue are known', async () => {
    await hold();
    await hold();
    expect(await hold()).toEqual([INSERT]);
    const [one, other] = [partner, await anyPartner(service, [venue.id])];
    const both = () => Promise.all([placeHold(one, nextSlot()), placeHold(other, nextSlot())]);
    await commandsOf(both);
    await commandsOf(both);
    // Of two at once as well, or one each.
    expect(new Set(await commandsOf(both))).toEqual(new Set([INSERT]));
  });

  test('that loses its slot is one write, and the reads of why and of what else there is; from then on one read', async () => {
    const slotId = nextSlot();
    await placeHold(await anyPartner(service, [venue.id]), slotId);
    const lose = async (fields: Json = {}) =>
      expectStatus(await partner.api.post('/api/v1/partner/holds', { slot_id: slotId, ...fields }), 409);
    expect(await commandsOf(lose)).toEqual([INSERT, HOLDS, HOLDS]);
    expect(await commandsOf(lose)).toEqual([HOLDS]);
    // With a key, the hold that it placed before is looked up too.
    expect(await commandsOf(() => lose({ idempotency_key: slotId }))).toEqual([HOLDS, FOUND_BY_KEY]);
    const together = await commandsOf(() => Promise.all(Array.from({ length: 64 }, () => lose())));
    expect(together.length).toBeLessThanOrEqual(64);
    expect(new Set(together)).toEqual(new Set([HOLDS]));
  });
});

const KEY_TWICE = ['aggregate api_keys', 'aggregate api_keys'];
const INSERT = 'update reservations';
const HOLDS = 'aggregate reservations';
const FOUND_BY_KEY = 'find reservations';

test('a confirm reads the hold and moves it; so does an extension, with the grant', async () => {
  const holdId = String((await placeHold(partner, nextSlot()))['hold_id']);
  const extend = () => partner.api.post(`/api/v1/partner/holds/${holdId}/extend`, { ttl_seconds: 1800 });
  expect(await commandsOf(async () => expectStatus(await extend(), 200))).toEqual([
    ...[HOLDS, 'findAndModify reservations'],
  ]);
  const confirm = () => partner.api.post('/api/v1/bookings/confirm', confirmBody(holdId));
  expect(await commandsOf(async () => expectStatus(await confirm(), 201))).toEqual([
    ...[HOLDS, 'findAndModify reservations'],
  ]);
});

test('availability reads the claims of days that nobody has asked for', async () => {
  await freeSlotIds(partner, venue.id, dateIn(3));
  expect(await commandsOf(() => freeSlotIds(partner, venue.id, dateIn(30)))).toEqual([HOLDS]);
});

test('a page of bookings is one read, where its venues and resources are in memory', async () => {
  const oneACourt = new Map(slotIds.map((slotId) => [slotId.slice(0, slotId.lastIndexOf('_')), slotId]));
  for (const slotId of oneACourt.values()) await bookSlot(partner, slotId);
  const list = async () => expectStatus(await partner.api.get('/api/v1/bookings?limit=50'), 200);
  expect(oneACourt.size).toBe(COURTS);
  await list();
  expect(await commandsOf(list)).toEqual([HOLDS]);
});

test('beside the calls, the version of what is in memory is read at most four times a second', async () => {
  await sent();
  const seconds = (performance.now() - watchedAt) / 1000;
  expect(versionsRead).toBeGreaterThan(0);
  expect(versionsRead).toBeLessThanOrEqual(Math.ceil(seconds * 4) + 1);
});
