import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { type Partner, placeHold, subscribe } from '../support/factories.ts';
import type { Block } from '../support/fail-points.ts';
import { headerOf } from '../support/receiver.ts';
import { scaled } from '../support/scale.ts';
import { nextDays, startScene } from '../support/scene.ts';
import { killProcess, START_DEADLINE_MS } from '../support/worker-process.ts';
import { startKilling } from './killed-worker.ts';
import { report } from './report.ts';

jest.setTimeout(scaled(900_000, 200_000));

const KILLS = scaled(20, 2);

/** A worker's steps with an event: the MongoDB command, and whether the webhook may already be sent. */
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

let scene: Awaited<ReturnType<typeof startKilling>>;
let partner: Partner;
let slot: () => string;
let isResponding = true;
beforeAll(async () => {
  scene = await startKilling((_attempt, response) => {
    if (isResponding) response.writeHead(200).end();
  });
  const { service, receiver } = scene;
  ({ partner, slot } = await startScene(service, {
    resources: [{ duration_minutes: 15 }],
    days: nextDays(scaled(4, 1)),
  }));
  await subscribe(partner, receiver.url, ['hold_created']);
});
afterAll(() => scene.stop());

/** Places a hold; kills its worker at `block`, or without a block after it sent the webhook. Returns the hold's id. */
async function killInTheMiddle(block: Block | undefined): Promise<string> {
  const doomed = scene.startDoomedWorker();
  const { received } = scene.receiver;
  const before = received.length;
  const { hold_id } = await placeHold(partner, slot());
  if (block !== undefined) await block.met();
  else await eventually('it is sent', () => received.length > before, START_DEADLINE_MS);
  await killProcess(doomed);
  return String(hold_id);
}

test.each(STEPS)(
  `a worker killed ${KILLS} times before %s loses nothing, and its webhook is sent again as attempt 1`,
  async (before, command, collection, isSent) => {
    const isBlocked = command !== '';
    isResponding = isBlocked;
    const holdIds: string[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      const block = isBlocked ? await scene.block(command, collection) : undefined;
      holdIds.push(await killInTheMiddle(block));
      await block?.lift();
    }
    isResponding = true;
    const survivor = scene.startWorker();
    const { events, deliveries, feed } = await scene.recovered(partner, { holdId: { $in: holdIds } }, KILLS);
    await killProcess(survivor);

    expect(events.map(({ holdId }) => String(holdId)).toSorted()).toEqual(holdIds.toSorted());
    const ids = events.map(({ _id }) => _id).toSorted();
    expect(deliveries.map(({ eventId }) => eventId).toSorted()).toEqual(ids);
    expect(feed.filter((id) => ids.includes(id)).toSorted()).toEqual(ids);
    for (const { attemptsMade, attempts } of deliveries) {
      expect(attemptsMade).toBe(1);
      expect(attempts.map(({ attempt }) => attempt)).toEqual(attempts.map(() => 1));
      expect(attempts.filter(({ outcome }) => outcome === 'succeeded')).toHaveLength(1);
    }
    const received = scene.receiver.received.filter(({ body }) => holdIds.includes(String(body['hold_id'])));
    expect(new Set(received.map(({ body }) => body['event_id']))).toEqual(new Set(ids));
    expect(received.map((each) => headerOf(each, 'x-delivery-attempt'))).toEqual(received.map(() => '1'));
    expect(new Set(received.map((each) => headerOf(each, 'x-delivery-id'))).size).toBe(received.length);
    const repeats = received.length - holdIds.length;
    if (!isSent) expect(repeats).toBe(0);
    expect(repeats).toBeLessThanOrEqual(KILLS * holdIds.length);
    report({
      promise: 2,
      experiment: `kill -9 of the only webhook-delivery worker before ${before}`,
      count: `${KILLS} kills`,
      result: `0 lost, 0 wrong attempt numbers, ${repeats} repeats`,
    });
  },
);
