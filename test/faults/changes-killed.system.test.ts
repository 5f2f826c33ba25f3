import { afterAll, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import type { Client } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import type { Json, Partner, Venue } from '../support/factories.ts';
import { anyPartner, anyVenue, dateIn, expectStatus, operatorOf, subscribe } from '../support/factories.ts';
import { rowsOf } from '../support/rows.ts';
import { scaled } from '../support/scale.ts';
import { killProcess, START_DEADLINE_MS, startApi } from '../support/worker-process.ts';
import { RECOVERED_WITHIN_MS, startKilling } from './killed-worker.ts';
import { report } from './report.ts';

jest.setTimeout(scaled(900_000, 300_000));

const ROUNDS = scaled(10, 1);
const UNDONE_WITHIN_MS = 100_000;
const OPERATOR = '/api/v1/operator';
const REASONS = ['blackout', 'grant', 'prices', 'resource', 'schedule', 'venue'];

let scene: Awaited<ReturnType<typeof startKilling>>;
let venue: Venue;
let partner: Partner;
beforeAll(async () => {
  scene = await startKilling();
});
beforeEach(async () => {
  const { service, receiver } = scene;
  venue = await anyVenue(service);
  partner = await anyPartner(service, [venue.id]);
  // Do not count the events of the setup.
  await service.context.db.collection('catalog_outbox').deleteMany({});
  await subscribe(partner, receiver.url, ['availability_changed']);
});
afterAll(() => scene.stop());

/** Makes one change of each reason; each round sets other values. */
async function changeAll(operator: Client, round: number): Promise<void> {
  const resource = `${OPERATOR}/resources/${venue.resourceIds[0] ?? ''}`;
  const grant = `${OPERATOR}/partners/${partner.id}/venues/${venue.id}`;
  const isEven = round % 2 === 0;
  const status = isEven ? 'inactive' : 'active';
  const blackout = {
    starts_at: `${dateIn(5)}T06:00:00Z`,
    ends_at: `${dateIn(6)}T06:00:00Z`,
    reason: `Round ${round}`,
  };
  expectStatus(await operator.patch(resource, { price_rupees: 2000 + round }), 200);
  expectStatus(await operator.patch(resource, { operating_hours_end: isEven ? '22:00' : '23:00' }), 200);
  expectStatus(await operator.patch(resource, { status }), 200);
  expectStatus(await operator.patch(`${OPERATOR}/venues/${venue.id}`, { status }), 200);
  expectStatus(await operator.post(`${OPERATOR}/venues/${venue.id}/blackouts`, blackout), 201);
  // Change the grant last, so that it exists when the other changes are dispatched.
  if (isEven) await operator.delete(grant);
  expectStatus(await operator.put(grant), 204);
}

/** The reasons of the events of all rounds. An even round ends the grant and gives it again: two events. */
const EXPECTED = REASONS.flatMap((reason) =>
  Array.from({ length: reason === 'grant' ? 2 * Math.ceil(ROUNDS / 2) : ROUNDS }, () => reason),
);

/** Checks that each change is one event in log and feed, with one delivery; returns the number of repeated webhooks. */
async function expectEachOnce(reasons: readonly string[]): Promise<number> {
  const { service, receiver } = scene;
  const inVenue = { venueId: venue.id };
  const isEmpty = async () => (await rowsOf(service, 'catalog_outbox', inVenue)).length === 0;
  await eventually('the outbox is empty', isEmpty, RECOVERED_WITHIN_MS);
  const { events, deliveries, feed } = await scene.recovered(partner, inVenue, reasons.length);
  expect(events.map(({ change }) => String(change?.reason)).toSorted()).toEqual(reasons);
  const ids = events.map(({ _id }) => _id).toSorted();
  expect(deliveries.map(({ eventId }) => eventId).toSorted()).toEqual(ids);
  expect(feed.toSorted()).toEqual(ids);
  const received = receiver.received.filter(({ body }) => body['venue_id'] === venue.id);
  expect([...new Set(received.map(({ body }) => String(body['event_id'])))].toSorted()).toEqual(ids);
  expect(received.map(({ body }) => Object.keys(body['details'] as Json))).toEqual(
    received.map(() => ['reason', 'resource_ids', 'from', 'to']),
  );
  return received.length - ids.length;
}

test(`an API killed right after its responses, in ${ROUNDS} rounds of a change for each reason: each change is announced exactly once`, async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const api = await startApi(scene.service.environment);
    await changeAll(operatorOf(api), round);
    await killProcess(api);
  }
  const worker = scene.startWorker();
  const repeats = await expectEachOnce(EXPECTED);
  expect(repeats).toBe(0);
  await killProcess(worker);
  report({
    promise: 2,
    experiment: 'kill -9 of the API after its response to changes of a venue, before it adds their jobs',
    count: `${ROUNDS} kills`,
    result: `${EXPECTED.length} changes announced once each, ${repeats} repeats`,
  });
});

test('an API killed inside the transaction of a change leaves neither change nor event; the repeated call announces the change once', async () => {
  const api = await scene.startDoomedApi();
  const block = await scene.block('update', 'catalog_outbox');
  const path = `${OPERATOR}/resources/${venue.resourceIds[0] ?? ''}`;
  const change = { price_rupees: 2500 };
  const killed = operatorOf(api)
    .patch(path, change)
    .catch(() => undefined);
  await block.met();
  await Promise.all([killProcess(api), killed, block.lift()]);
  const { service } = scene;
  expect(await rowsOf(service, 'catalog_outbox', { venueId: venue.id })).toEqual([]);
  // MongoDB aborts the transaction of a dead process after transactionLifetimeLimitSeconds (default 60).
  const isChanged = async () => (await operatorOf(service).patch(path, change)).status === 200;
  await eventually('the change is possible', isChanged, UNDONE_WITHIN_MS);
  const worker = scene.startWorker();
  await expectEachOnce(['prices']);
  await killProcess(worker);
});

/** The steps of a worker that handles changes of a venue, in order, with the MongoDB command of each. */
const STEPS: [before: string, command: string, collection: string][] = [
  ['it reads the outbox', 'find', 'catalog_outbox'],
  ['it writes the deliveries', 'insert', 'deliveries'],
  ['it logs the events', 'insert', 'events'],
  ['it records the results', 'update', 'deliveries'],
  ['it empties the outbox', 'delete', 'catalog_outbox'],
  ['it closes its numbers', 'update', 'feed_counters'],
];

test.each(STEPS)(
  `a worker killed ${ROUNDS} times before %s announces each change exactly once, with one event_id`,
  async (before, command, collection) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      await changeAll(operatorOf(scene.service), round);
      const block = await scene.block(command, collection);
      const doomed = scene.startDoomedWorker();
      await eventually('the step is met', () => block.met().then(() => true), START_DEADLINE_MS);
      await killProcess(doomed);
      await block.lift();
    }
    const survivor = scene.startWorker();
    const repeats = await expectEachOnce(EXPECTED);
    expect(repeats).toBeLessThanOrEqual(ROUNDS * EXPECTED.length);
    await killProcess(survivor);
    report({
      promise: 2,
      experiment: `kill -9 of the only webhook-delivery worker before ${before}, after changes of a venue`,
      count: `${ROUNDS} kills`,
      result: `${EXPECTED.length} changes announced once each, ${repeats} repeats`,
    });
  },
);
