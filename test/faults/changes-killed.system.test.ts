import { afterAll, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import type { Client } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import type { Json, Partner, Venue } from '../support/factories.ts';
import { anyPartner, anyVenue, dateIn, expectStatus, operatorOf, subscribe } from '../support/factories.ts';
import { blockCommands } from '../support/fail-points.ts';
import type { OwnServer } from '../support/own-servers.ts';
import { ownMongod } from '../support/own-servers.ts';
import type { WebhookReceiver } from '../support/receiver.ts';
import { startReceiver } from '../support/receiver.ts';
import { rowsOf } from '../support/rows.ts';
import { scaled } from '../support/scale.ts';
import type { Service } from '../support/service.ts';
import { startService } from '../support/service.ts';
import { endProcesses, START_DEADLINE_MS, startApi, startProcess } from '../support/worker-process.ts';
import { readWholeFeed } from './failover-readers.ts';
import { newPatience } from './insist.ts';
import { report } from './report.ts';

jest.setTimeout(scaled(900_000, 300_000));

const ROUNDS = scaled(10, 1);
/** A row is given up, swept and sent again within this time; as is a range of numbers. */
const RECOVERED_WITHIN_MS = 60_000;
const UNDONE_WITHIN_MS = 100_000;
const DOOMED = 'doomed';
const OPERATOR = '/api/v1/operator';
const REASONS = ['blackout', 'grant', 'prices', 'resource', 'schedule', 'venue'];

let mongod: OwnServer;
let service: Service;
let receiver: WebhookReceiver;
let venue: Venue;
let partner: Partner;
beforeAll(async () => {
  mongod = await ownMongod();
  await mongod.start();
  service = await startService({ MONGODB_URI: mongod.uri, RATE_LIMIT_PER_MINUTE: '0', WEBHOOK_TIMEOUT_MS: '1000' });
  receiver = await startReceiver();
});
beforeEach(async () => {
  venue = await anyVenue(service);
  partner = await anyPartner(service, [venue.id]);
  // What making them has announced is not counted.
  await service.context.db.collection('catalog_outbox').deleteMany({});
  await subscribe(partner, receiver.url, ['availability_changed']);
});
afterAll(async () => {
  await endProcesses();
  await receiver.close();
  await service.stop();
  await mongod.discard();
});

/** The environment of a process that MongoDB knows by its name, so that its commands alone are held up. */
const ofDoomed = () => ({ ...service.environment, MONGODB_URI: `${mongod.uri}&appName=${DOOMED}` });

/** Makes one change of each reason; each round changes to other values. */
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
  // Last, so that the grant is there whenever the others are dispatched.
  if (isEven) await operator.delete(grant);
  expectStatus(await operator.put(grant), 204);
}

/** What the partner must get of so many rounds: one event of each change, and two of the grant that ended and began. */
function expectedReasons(rounds: number): string[] {
  const even = Math.ceil(rounds / 2);
  return REASONS.flatMap((reason) => Array.from({ length: reason === 'grant' ? 2 * even : rounds }, () => reason));
}

/** The partner's events of the venue once each has one delivery that succeeded; and that the outbox is empty. */
async function eventsOnceDelivered(count: number) {
  const eventsOf = () => rowsOf(service, 'events', { venueId: venue.id });
  const deliveriesOf = async () =>
    rowsOf(service, 'deliveries', { eventId: { $in: (await eventsOf()).map(({ _id }) => _id) } });
  const isDone = async () => {
    const rows = await deliveriesOf();
    return rows.length >= count && rows.every(({ state }) => state === 'succeeded');
  };
  await eventually('all are delivered', isDone, RECOVERED_WITHIN_MS);
  const isEmpty = async () => (await rowsOf(service, 'catalog_outbox', { venueId: venue.id })).length === 0;
  await eventually('the outbox is empty', isEmpty, RECOVERED_WITHIN_MS);
  return { events: await eventsOf(), deliveries: await deliveriesOf() };
}

/** Whether each change came as one event: in the log, in the feed, by one delivery, and by webhooks with its event_id alone. */
async function expectEachOnce(rounds: number): Promise<number> {
  const expected = expectedReasons(rounds);
  const { events, deliveries } = await eventsOnceDelivered(expected.length);
  expect(events.map(({ change }) => String(change?.reason)).toSorted()).toEqual(expected);
  const ids = events.map(({ _id }) => _id).toSorted();
  expect(deliveries.map(({ eventId }) => eventId).toSorted()).toEqual(ids);
  const isInFeed = async () => {
    const feed = await readWholeFeed([partner.api], newPatience(), AbortSignal.abort());
    return feed.ids.length >= ids.length && feed.ids;
  };
  const inFeed = await eventually('all are in the feed', isInFeed, RECOVERED_WITHIN_MS);
  expect(inFeed.toSorted()).toEqual(ids);
  const received = receiver.received.filter(({ body }) => body['venue_id'] === venue.id);
  expect([...new Set(received.map(({ body }) => String(body['event_id'])))].toSorted()).toEqual(ids);
  expect(received.map(({ body }) => Object.keys(body['details'] as Json))).toEqual(
    received.map(() => ['reason', 'resource_ids', 'from', 'to']),
  );
  return received.length - ids.length;
}

test(`an API killed as it answers, in ${ROUNDS} rounds of a change for each reason, announces each exactly once`, async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const api = await startApi(service.environment);
    await changeAll(operatorOf(api), round);
    api.signal('SIGKILL');
    await api.exited;
  }
  const worker = startProcess('workers/webhook-delivery.ts', service.environment);
  const again = await expectEachOnce(ROUNDS);
  expect(again).toBe(0);
  worker.signal('SIGKILL');
  await worker.exited;
  report({
    promise: 2,
    experiment: 'kill -9 of the API that has just answered changes of a venue, with its jobs still to add',
    count: `${ROUNDS} kills`,
    result: `each of ${expectedReasons(ROUNDS).length} changes announced once; ${again} sent again with the same event_id`,
  });
});

test('an API killed inside the transaction of a change leaves neither, and the repeated call announces it once', async () => {
  const api = await startApi(ofDoomed());
  const block = await blockCommands(service, { appName: DOOMED, command: 'update', collection: 'catalog_outbox' });
  const path = `${OPERATOR}/resources/${venue.resourceIds[0] ?? ''}`;
  const killed = operatorOf(api)
    .patch(path, { price_rupees: 2500 })
    .catch(() => undefined);
  await block.met();
  api.signal('SIGKILL');
  await Promise.all([api.exited, killed, block.lift()]);
  expect(await rowsOf(service, 'catalog_outbox', { venueId: venue.id })).toEqual([]);
  // MongoDB undoes the transaction of a dead process after transactionLifetimeLimitSeconds, 60 by default.
  const isChanged = async () => (await operatorOf(service).patch(path, { price_rupees: 2500 })).status === 200;
  await eventually('the change is possible', isChanged, UNDONE_WITHIN_MS);
  const worker = startProcess('workers/webhook-delivery.ts', service.environment);
  const { events, deliveries } = await eventsOnceDelivered(1);
  expect(events.map(({ change }) => change?.reason)).toEqual(['prices']);
  expect(deliveries).toHaveLength(1);
  worker.signal('SIGKILL');
  await worker.exited;
});

/** The steps of a worker with changes of a venue, in order: the MongoDB command of each. */
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
      await changeAll(operatorOf(service), round);
      const block = await blockCommands(service, { appName: DOOMED, command, collection });
      const doomed = startProcess('workers/webhook-delivery.ts', ofDoomed());
      await eventually('the step is met', () => block.met().then(() => true), START_DEADLINE_MS);
      doomed.signal('SIGKILL');
      await doomed.exited;
      await block.lift();
    }
    const survivor = startProcess('workers/webhook-delivery.ts', service.environment);
    const again = await expectEachOnce(ROUNDS);
    expect(again).toBeLessThanOrEqual(ROUNDS * expectedReasons(ROUNDS).length);
    survivor.signal('SIGKILL');
    await survivor.exited;
    report({
      promise: 2,
      experiment: `kill -9 of the only webhook-delivery worker before ${before}, with changes of a venue`,
      count: `${ROUNDS} kills`,
      result: `each of ${expectedReasons(ROUNDS).length} changes announced once; ${again} sent again with the same event_id`,
    });
  },
);
