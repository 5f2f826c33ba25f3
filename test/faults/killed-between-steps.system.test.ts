import { afterAll, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { expectStatus, operatorOf, type Partner, placeHold, subscribe, type Venue } from '../support/factories.ts';
import { blockCommands, environmentNamed, startServiceOnOwnMongod } from '../support/fail-points.ts';
import { headerOf, startReceiver, type WebhookReceiver } from '../support/receiver.ts';
import { rowsOf } from '../support/rows.ts';
import { scaled } from '../support/scale.ts';
import { startScene } from '../support/scene.ts';
import type { Service } from '../support/service.ts';
import { endProcesses, killProcess, startApi, startProcess } from '../support/worker-process.ts';
import { readWholeFeed } from './failover-readers.ts';
import { newPatience } from './insist.ts';
import { report } from './report.ts';

jest.setTimeout(scaled(900_000, 300_000));

const KILLS = scaled(20, 2);
const WORKER = 'workers/webhook-delivery.ts';
/** MongoDB knows the processes that are killed by this name. */
const DOOMED = 'doomed';
/** Time in which a dead worker's locks and number ranges expire, and a sweep sends its deliveries again. */
const RECOVERED_WITHIN_MS = 60_000;
/** MongoDB aborts the transaction of a dead process after transactionLifetimeLimitSeconds (default 60). */
const UNDONE_WITHIN_MS = 100_000;

let service: Service;
let receiver: WebhookReceiver;
let isResponding = true;
let venue: Venue;
let partner: Partner;
let slot: () => string;
beforeAll(async () => {
  service = await startServiceOnOwnMongod({ RATE_LIMIT_PER_MINUTE: '0', WEBHOOK_TIMEOUT_MS: '1000' });
  receiver = await startReceiver((_attempt, response) => {
    if (isResponding) response.writeHead(200).end();
  });
});
beforeEach(async () => {
  ({ venue, partner, slot } = await startScene(service, { resources: [{ duration_minutes: 15 }] }));
  // Do not count the events of the setup.
  await service.context.db.collection('catalog_outbox').deleteMany({});
  await subscribe(partner, receiver.url, ['hold_created', 'availability_changed']);
});
afterAll(async () => {
  await endProcesses();
  await receiver.close();
  await service.stop();
});

/** Blocks this command of the processes that are killed. */
const block = (command: string, collection: string) => blockCommands(service, { appName: DOOMED, command, collection });

const resourcePath = () => `/api/v1/operator/resources/${venue.resourceIds[0] ?? ''}`;

/**
 * Starts a worker, and checks that it announces each hold and each change of the venue exactly once: by one event in
 * log and feed, with one delivery whose attempts all count as the first. `expected`: ids of the holds, reasons of the
 * changes. Returns the number of repeated webhooks.
 */
async function expectAnnouncedOnce(expected: readonly string[]): Promise<number> {
  const survivor = startProcess(WORKER, service.environment);
  const eventsOfVenue = () => rowsOf(service, 'events', { venueId: venue.id });
  const deliveriesOfVenue = async () => {
    const events = await eventsOfVenue();
    return rowsOf(service, 'deliveries', { eventId: { $in: events.map(({ _id }) => _id) } });
  };
  const areDelivered = async () => {
    const rows = await deliveriesOfVenue();
    return rows.length >= expected.length && rows.every(({ state }) => state === 'succeeded');
  };
  await eventually('all are delivered', areDelivered, RECOVERED_WITHIN_MS);
  const events = await eventsOfVenue();
  const ids = events.map(({ _id }) => _id).toSorted();
  const wholeFeed = async () => {
    const feed = await readWholeFeed([partner.api], newPatience(), AbortSignal.abort());
    return ids.every((id) => feed.ids.includes(id)) && feed.ids;
  };
  const feed = await eventually('all are in the feed', wholeFeed, RECOVERED_WITHIN_MS);
  await killProcess(survivor);

  const announced = events.map(({ holdId, change }) => String(holdId ?? change?.reason));
  expect(announced.toSorted()).toEqual(expected.toSorted());
  expect(feed.toSorted()).toEqual(ids);
  const deliveries = await deliveriesOfVenue();
  expect(deliveries.map(({ eventId }) => eventId).toSorted()).toEqual(ids);
  for (const { attemptsMade, attempts } of deliveries) {
    expect(attemptsMade).toBe(1);
    expect(attempts.map(({ attempt }) => attempt)).toEqual(attempts.map(() => 1));
    expect(attempts.filter(({ outcome }) => outcome === 'succeeded')).toHaveLength(1);
  }
  const received = receiver.received.filter(({ body }) => body['venue_id'] === venue.id);
  expect(new Set(received.map(({ body }) => body['event_id']))).toEqual(new Set(ids));
  expect(received.map((each) => headerOf(each, 'x-delivery-attempt'))).toEqual(received.map(() => '1'));
  expect(new Set(received.map((each) => headerOf(each, 'x-delivery-id'))).size).toBe(received.length);
  return received.length - ids.length;
}

/** A worker's steps with events: the MongoDB command, and whether a webhook may already be sent. */
const STEPS: [before: string, command: string, collection: string, isSent: boolean][] = [
  ['it reads the outboxes of reservations', 'find', 'reservations', false],
  ['it reads the outbox of venues', 'find', 'catalog_outbox', true],
  ['it reserves numbers', 'findAndModify', 'feed_counters', true],
  ['it logs the events', 'insert', 'events', true],
  ['it writes the deliveries', 'insert', 'deliveries', false],
  ['the receiver has responded', '', '', true],
  ['it records the results', 'update', 'deliveries', true],
  ['it empties the outboxes of reservations', 'update', 'reservations', true],
  ['it empties the outbox of venues', 'delete', 'catalog_outbox', true],
  ['it closes its numbers', 'update', 'feed_counters', true],
];

test.each(STEPS)(
  `a worker killed ${KILLS} times before %s loses nothing, and its webhooks are sent again as attempt 1`,
  async (before, command, collection, isSent) => {
    const isBlocked = command !== '';
    isResponding = isBlocked;
    const expected: string[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      const { hold_id } = await placeHold(partner, slot());
      expectStatus(await operatorOf(service).patch(resourcePath(), { price_rupees: 2000 + kill }), 200);
      expected.push(String(hold_id), 'prices');
      const blocked = isBlocked ? await block(command, collection) : undefined;
      const sent = receiver.received.length;
      const doomed = startProcess(WORKER, environmentNamed(service, DOOMED));
      await (blocked?.met() ?? eventually('a webhook is sent', () => receiver.received.length > sent));
      await killProcess(doomed);
      await blocked?.lift();
    }
    isResponding = true;
    const repeats = await expectAnnouncedOnce(expected);
    if (!isSent) expect(repeats).toBe(0);
    expect(repeats).toBeLessThanOrEqual(KILLS * expected.length);
    report({
      promise: 2,
      experiment: `kill -9 of the only webhook-delivery worker before ${before}, after holds and changes of a venue`,
      count: `${KILLS} kills`,
      result: `${expected.length} announced once each, 0 wrong attempt numbers, ${repeats} repeats`,
    });
  },
);

test(`an API killed ${KILLS} times right after its response to a change of a venue: each change is announced exactly once`, async () => {
  const expected: string[] = [];
  for (let round = 0; round < KILLS; round += 1) {
    const api = await startApi(service.environment);
    expectStatus(await operatorOf(api).patch(resourcePath(), { price_rupees: 2000 + round }), 200);
    expected.push('prices');
    await killProcess(api);
  }
  expect(await expectAnnouncedOnce(expected)).toBe(0);
  report({
    promise: 2,
    experiment: 'kill -9 of the API after its response to a change of a venue, before it adds a job',
    count: `${KILLS} kills`,
    result: `${expected.length} changes announced once each, 0 repeats`,
  });
});

test('an API killed inside the transaction of a change leaves neither change nor event; the repeated call announces the change once', async () => {
  const api = await startApi(environmentNamed(service, DOOMED));
  const blocked = await block('update', 'catalog_outbox');
  const change = { price_rupees: 2500 };
  const killed = operatorOf(api)
    .patch(resourcePath(), change)
    .catch(() => undefined);
  await blocked.met();
  await Promise.all([killProcess(api), killed, blocked.lift()]);
  expect(await rowsOf(service, 'catalog_outbox', { venueId: venue.id })).toEqual([]);
  const isChanged = async () => (await operatorOf(service).patch(resourcePath(), change)).status === 200;
  await eventually('the change is possible', isChanged, UNDONE_WITHIN_MS);
  await expectAnnouncedOnce(['prices']);
});
