import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { createClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import type { Json, Partner, Venue } from '../support/factories.ts';
import { anyPartner, anyVenue, confirmBody, dateIn, expectStatus, operatorOf, slotsOf } from '../support/factories.ts';
import type { Block } from '../support/fail-points.ts';
import { blockCommands, commandsOf, environmentNamed, startServiceOnOwnMongod } from '../support/fail-points.ts';
import { rowsOf } from '../support/rows.ts';
import { scaled } from '../support/scale.ts';
import type { Service } from '../support/service.ts';
import { errorOf, verdict } from '../support/verdict.ts';
import { endProcesses, type SpawnedApi, startApi } from '../support/worker-process.ts';
import { report } from './report.ts';

const APP_NAME = 'with-old-rules';
const LEASE_MS = 500;
const HOLDS = 6;

/** Operators change the rules through this process. */
let service: Service;
/** The process that the changes reach late. */
let api: SpawnedApi;
let venue: Venue;
let slots: Json[];
let block: Block | undefined;
beforeAll(async () => {
  service = await startServiceOnOwnMongod({ CACHE_LEASE_MS: String(LEASE_MS) });
  api = await startApi(environmentNamed(service, APP_NAME));
  venue = await anyVenue(service, [{ duration_minutes: 15 }]);
  const days = Array.from({ length: scaled(10, 3) }, (_, day) => dateIn(3 + day));
  const partner = await anyPartner(service, [venue.id]);
  slots = (await Promise.all(days.map((date) => slotsOf(partner, venue.id, date)))).flat();
});
afterEach(async () => {
  api.signal('SIGCONT');
  await block?.lift();
});
afterAll(async () => {
  await endProcesses();
  await service.stop();
});

/** Blocks the API's reads that confirm that its cache comes from the primary. */
const blockConfirmations = (forMs: number) =>
  blockCommands(service, { appName: APP_NAME, command: 'find', collection: 'cache_leases', forMs });
const slotIdOf = (slot: Json | undefined): string => String(slot?.['slot_id']);
const hold = ({ api: client }: Partner, slot: Json | undefined) =>
  client.post('/api/v1/partner/holds', { slot_id: slotIdOf(slot) });

/** A partner; the API has cached its key and grant, and the venue's rules. */
async function knownPartner(): Promise<Partner> {
  const partner = await anyPartner(service, [venue.id]);
  const known = { ...partner, api: createClient(api.url, partner.apiKey) };
  for (let times = 0; times < 3; times += 1) await slotsOf(known, venue.id);
  return known;
}

const closeFrom = async (first: Json | undefined, last: Json | undefined): Promise<Json> => {
  const window = { starts_at: first?.['slot_start'], ends_at: last?.['slot_end'], reason: 'Repairs' };
  const path = `/api/v1/operator/venues/${venue.id}/blackouts`;
  return expectStatus(await operatorOf(service).post(path, window), 201);
};

test('an API that was frozen before it wrote its holds writes none into a blackout or over a sale made meanwhile', async () => {
  const rounds = scaled(20, 2);
  for (let round = 0; round < rounds; round += 1) {
    const partner = await knownPartner();
    const some = slots.splice(0, HOLDS);
    // Let the lease end, so that the holds read the rules again and wait for the confirmation before they write.
    await delay(LEASE_MS);
    block = await blockConfirmations(1000);
    const holding = some.map((slot) => hold(partner, slot));
    await block.met();
    api.signal('SIGSTOP');
    const blackout = await closeFrom(some[0], some[HOLDS / 2 - 1]);
    // Control: nothing in progress was written before the blackout.
    expect(blackout['conflicts']).toEqual([]);
    const sale = { slot_id: slotIdOf(some.at(-1)) };
    expectStatus(await operatorOf(service).post('/api/v1/operator/walk-ins', sale), 201);
    await block.lift();
    await eventually('the API’s commands have ended', async () => {
      const commands = await commandsOf(service, APP_NAME);
      return commands.every(({ ns = '' }) => !ns.includes('reservations'));
    });
    api.signal('SIGCONT');

    const replies = await Promise.all(holding);
    const outcomes = replies.map((reply) =>
      reply.status === 409 ? errorOf(reply).conflict?.['reason'] : verdict(reply),
    );
    expect(outcomes).toEqual(['blackout', 'blackout', 'blackout', '201', '201', 'booked']);
    const rows = await rowsOf(service, 'reservations', { slotId: { $in: some.map(slotIdOf) } });
    const sold = some.slice(HOLDS / 2).map(slotIdOf);
    expect(rows.map(({ slotId }) => slotId).sort()).toEqual(sold.sort());
  }
  report({
    promise: 9,
    experiment: `SIGSTOP of an API between the reads and writes of ${HOLDS} holds, beyond its lease, while an operator blacks out half of the slots and sells one`,
    count: `${rounds} times, ${HOLDS * rounds} holds`,
    result: `0 placed in a blackout, 0 sold twice; ${4 * rounds} rejected, ${2 * rounds} placed`,
  });
}, 300_000);

test('a process that cannot confirm its primary sells nothing; once it can, it obeys each change', async () => {
  const rounds = scaled(10, 1);
  for (let round = 0; round < rounds; round += 1) {
    const [partner, suspended, ungranted] = [await knownPartner(), await knownPartner(), await knownPartner()];
    const [first, second, third, fourth] = slots.splice(0, 4);
    const operator = operatorOf(service);
    const blackout = await closeFrom(second, second);
    const held = expectStatus(await hold(partner, first), 201);
    block = await blockConfirmations(2 * LEASE_MS);
    // Wait until the earlier confirmation is too old.
    await delay(LEASE_MS / 2);
    await Promise.all([block.met(), slotsOf(partner, venue.id)]);

    const opened = await operator.delete(`/api/v1/operator/blackouts/${String(blackout['blackout_id'])}`);
    expect(opened.status).toBe(204);
    await closeFrom(first, first);
    const path = `/api/v1/operator/resources/${venue.resourceIds[0] ?? ''}`;
    const price = 500 + round;
    expectStatus(await operator.patch(path, { price_rupees: price }), 200);
    const pathOf = ({ id }: Partner) => `/api/v1/operator/partners/${id}`;
    expectStatus(await operator.patch(pathOf(suspended), { status: 'suspended' }), 200);
    expectStatus(await operator.delete(`${pathOf(ungranted)}/venues/${venue.id}`), 200);
    const unconfirmed = await Promise.all([hold(partner, second), hold(partner, third), hold(ungranted, fourth)]);
    const unavailable = '503 SERVICE_UNAVAILABLE';
    expect(unconfirmed.map(verdict)).toEqual([unavailable, unavailable, '404 SLOT_NOT_FOUND']);
    // Confirming a hold needs no rules.
    expectStatus(await partner.api.post('/api/v1/bookings/confirm', confirmBody(held['hold_id'])), 201);
    await block.lift();

    const sold = await eventually('it sells again', async () => {
      const reply = await hold(partner, third);
      return reply.status === 503 ? undefined : reply;
    });
    expect(expectStatus(sold, 201)['price_rupees']).toBe(price);
    expectStatus(await hold(partner, second), 201);
    expect(verdict(await hold(suspended, fourth))).toBe('403 PARTNER_SUSPENDED');
    expect(verdict(await hold(ungranted, fourth))).toBe('404 SLOT_NOT_FOUND');
  }
  report({
    promise: 9,
    experiment:
      'an API cannot confirm the primary for longer than its lease, while operators change blackouts, prices, suspensions and grants',
    count: `${rounds} times, ${3 * rounds} holds meanwhile, ${4 * rounds} after`,
    result: '0 placed by an old rule, 0 wrongly rejected',
  });
}, 300_000);
