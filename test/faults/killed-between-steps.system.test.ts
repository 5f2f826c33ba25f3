import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { anyPartner, anyVenue, dateIn, freeSlotIds, type Partner, placeHold, subscribe } from '../support/factories.ts';
import { type Block, blockCommands } from '../support/fail-points.ts';
import { type OwnServer, ownMongod } from '../support/own-servers.ts';
import { headerOf, startReceiver, type WebhookReceiver } from '../support/receiver.ts';
import { rowsOf } from '../support/rows.ts';
import { scaled } from '../support/scale.ts';
import { type Service, startService } from '../support/service.ts';
import { endProcesses, START_DEADLINE_MS, startProcess } from '../support/worker-process.ts';
import { readWholeFeed } from './failover-readers.ts';
import { newPatience } from './insist.ts';
import { report } from './report.ts';

jest.setTimeout(scaled(900_000, 200_000));

const KILLS = scaled(20, 2);
/** A row is given up, swept and sent again within this time; as is a range of numbers. */
const RECOVERED_WITHIN_MS = 60_000;
const DOOMED = 'doomed';

/** The steps of a worker with a job of events, in order: the MongoDB command of each, and whether the webhook may be sent before. */
const STEPS: [before: string, command: string, collection: string, isSent: boolean][] = [
  ['it reads the outboxes', 'find', 'reservations', false],
  ['it reserves numbers', 'findAndModify', 'feed_counters', true],
  ['it logs the events', 'insert', 'events', true],
  ['it writes the deliveries', 'insert', 'deliveries', false],
  ['the receiver has responded', '', '', true],
  ['it records the results', 'update', 'deliveries', true],
  ['it empties the outboxes', 'update', 'reservations', true],
  ['it closes its numbers', 'update', 'feed_counters', true],
];

let mongod: OwnServer;
let service: Service;
let receiver: WebhookReceiver;
let partner: Partner;
let slotIds: string[];
/** Whether the receiver responds. */
let isResponding = true;
beforeAll(async () => {
  mongod = await ownMongod();
  await mongod.start();
  service = await startService({ MONGODB_URI: mongod.uri, RATE_LIMIT_PER_MINUTE: '0', WEBHOOK_TIMEOUT_MS: '1000' });
  receiver = await startReceiver((_attempt, response) => {
    if (isResponding) response.writeHead(200).end();
  });
  const venue = await anyVenue(service, [{ duration_minutes: 15 }]);
  partner = await anyPartner(service, [venue.id]);
  await subscribe(partner, receiver.url, ['hold_created']);
  const days = Array.from({ length: scaled(4, 1) }, (_, day) => freeSlotIds(partner, venue.id, dateIn(2 + day)));
  slotIds = (await Promise.all(days)).flat();
});
afterAll(async () => {
  await endProcesses();
  await receiver.close();
  await service.stop();
  await mongod.discard();
});

/** Kills a worker that has met `block`, or whose webhook has arrived, in the middle of the event of a hold; returns the hold. */
async function killInTheMiddle(block: Block | null): Promise<string> {
  const uri = `${mongod.uri}&appName=${DOOMED}`;
  const doomed = startProcess('workers/webhook-delivery.ts', { ...service.environment, MONGODB_URI: uri });
  const before = receiver.received.length;
  const { hold_id } = await placeHold(partner, slotIds.pop() ?? '');
  if (block !== null) await block.met();
  else await eventually('it is sent', () => receiver.received.length > before, START_DEADLINE_MS);
  doomed.signal('SIGKILL');
  await doomed.exited;
  return String(hold_id);
}

test.each(STEPS)(
  `a worker killed ${KILLS} times before %s loses nothing, and its webhook is sent again as attempt 1`,
  async (before, command, collection, isSent) => {
    const blocked = command === '' ? null : { appName: DOOMED, command, collection };
    isResponding = blocked !== null;
    const holdIds: string[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      const block = blocked && (await blockCommands(service, blocked));
      holdIds.push(await killInTheMiddle(block));
      await block?.lift();
    }
    isResponding = true;
    const survivor = startProcess('workers/webhook-delivery.ts', service.environment);

    const eventsOf = () => rowsOf(service, 'events', { holdId: { $in: holdIds } });
    const deliveriesOf = async () =>
      rowsOf(service, 'deliveries', { eventId: { $in: (await eventsOf()).map(({ _id }) => _id) } });
    const isRecovered = async () => {
      const rows = await deliveriesOf();
      return rows.length === holdIds.length && rows.every(({ state }) => state === 'succeeded');
    };
    await eventually('all are delivered', isRecovered, RECOVERED_WITHIN_MS);
    await eventually('all are in the feed', () => isFeedComplete(holdIds), RECOVERED_WITHIN_MS);
    survivor.signal('SIGKILL');
    await survivor.exited;

    const events = await eventsOf();
    expect(events.map(({ holdId }) => String(holdId)).toSorted()).toEqual(holdIds.toSorted());
    for (const { attemptsMade, attempts } of await deliveriesOf()) {
      expect(attemptsMade).toBe(1);
      expect(attempts.map(({ attempt }) => attempt)).toEqual(attempts.map(() => 1));
      expect(attempts.filter(({ outcome }) => outcome === 'succeeded')).toHaveLength(1);
    }
    const received = receiver.received.filter(({ body }) => holdIds.includes(String(body['hold_id'])));
    expect(new Set(received.map(({ body }) => body['event_id']))).toEqual(new Set(events.map(({ _id }) => _id)));
    expect(received.map((each) => headerOf(each, 'x-delivery-attempt'))).toEqual(received.map(() => '1'));
    expect(new Set(received.map((each) => headerOf(each, 'x-delivery-id'))).size).toBe(received.length);
    const again = received.length - holdIds.length;
    if (!isSent) expect(again).toBe(0);
    expect(again).toBeLessThanOrEqual(KILLS * holdIds.length);
    report({
      promise: 2,
      experiment: `kill -9 of the only webhook-delivery worker before ${before}`,
      count: `${KILLS} kills`,
      result: `0 lost, 0 numbered as another attempt, ${again} of ${holdIds.length} sent again with the same event_id`,
    });
  },
);

/** Whether the partner reads the events of all of them in the feed, each once. */
async function isFeedComplete(holdIds: readonly string[]): Promise<boolean> {
  const { ids } = await readWholeFeed([partner.api], newPatience(), AbortSignal.abort());
  const events = await rowsOf(service, 'events', { holdId: { $in: holdIds } });
  return events.length === holdIds.length && events.every(({ _id }) => ids.filter((id) => id === _id).length === 1);
}
