import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type * as Commands from '../support/commands.in-host.ts';
import type { Partner } from '../support/factories.ts';
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

const service = await hostedService({ overrides: { MONGODB_URI: monitoredUri() } });
const { takeCommands, watchCommands } = service.inHost<typeof Commands>('test/support/commands.in-host.ts');
let partner: Partner;
let slotIds: string[];
beforeAll(async () => {
  const venue = await anyVenue(
    service,
    Array.from({ length: COURTS }, () => ({})),
  );
  partner = await anyPartner(service, [venue.id]);
  slotIds = await freeSlotIds(partner, venue.id, dateIn(3));
  await watchCommands();
});
afterAll(() => service.stop());

const nextSlot = () => slotIds.shift() ?? '';

/** What a call sends, without what a process sends now and then whatever the call: the use of a key, and the clocks' comparison. */
async function commandsOf(call: () => Promise<unknown>): Promise<string[]> {
  await takeCommands();
  await call();
  const others = ['update api_keys', 'hello 1'];
  return (await takeCommands()).filter((command) => !others.includes(command));
}

test('a hold reads key, slot and blackouts, is written, and is revalidated by two reads', async () => {
  const readings = ['aggregate api_keys', 'find resources', 'aggregate venues', 'find blackouts'];
  const revalidation = ['aggregate resources', 'find blackouts'];
  const first = await commandsOf(() => placeHold(partner, nextSlot()));
  expect(first).toEqual([...readings, 'aggregate reservations', 'update reservations', ...revalidation]);
  // How many the partner has is known from the first.
  const second = await commandsOf(() => placeHold(partner, nextSlot()));
  expect(second).toEqual([...readings, 'update reservations', ...revalidation]);
});

test('an extension sends three commands, a confirm five', async () => {
  const holdId = String((await placeHold(partner, nextSlot()))['hold_id']);
  const extend = () => partner.api.post(`/api/v1/partner/holds/${holdId}/extend`, { ttl_seconds: 1800 });
  expect(await commandsOf(async () => expectStatus(await extend(), 200))).toHaveLength(3);
  const confirm = () => partner.api.post('/api/v1/bookings/confirm', confirmBody(holdId));
  expect(await commandsOf(async () => expectStatus(await confirm(), 201))).toHaveLength(5);
});

test('a page of bookings reads its venues together, and its resources', async () => {
  const oneACourt = new Map(slotIds.map((slotId) => [slotId.slice(0, slotId.lastIndexOf('_')), slotId]));
  for (const slotId of oneACourt.values()) await bookSlot(partner, slotId);
  const list = async () => expectStatus(await partner.api.get('/api/v1/bookings?limit=50'), 200);
  const commands = await commandsOf(list);
  expect(oneACourt.size).toBe(COURTS);
  expect(commands.sort()).toEqual([
    ...['aggregate api_keys', 'aggregate reservations', 'find resources', 'find venues'],
  ]);
});
