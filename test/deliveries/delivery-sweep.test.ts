import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from '@jest/globals';
import { newDelivery } from '../../src/webhooks/deliveries/create-deliveries.service.ts';
import type * as DeadLetterQueue from '../../src/webhooks/deliveries/dead-letter-queue.service.ts';
import type { DeliveryRow } from '../../src/webhooks/deliveries/deliveries.model.ts';
import { anyDelivery } from '../support/deliveries.ts';
import type * as InTheHost from '../support/delivery-scene.in-host.ts';
import { eventually } from '../support/eventually.ts';
import { bookSlot, subscribe } from '../support/factories.ts';
import { linesOf } from '../support/log-lines.ts';
import type * as Queues from '../support/queues.in-host.ts';
import { changeRow, rowOf } from '../support/rows.ts';
import { startScene } from '../support/scene.ts';
import { hostedService } from '../support/service-host.ts';
import type * as DeliverySweep from './delivery-sweep.in-host.ts';

const service = await hostedService();
const { jobState } = service.inHost<typeof InTheHost>('test/support/delivery-scene.in-host.ts');
const { restoreDeadLetterQueue } = service.inHost<typeof DeadLetterQueue>(
  'src/webhooks/deliveries/dead-letter-queue.service.ts',
);
const { pauseQueue, resumeQueue } = service.inHost<typeof Queues>('test/support/queues.in-host.ts');
const inHost = service.inHost<typeof DeliverySweep>('test/deliveries/delivery-sweep.in-host.ts');
afterAll(() => service.stop());

const deliveries = () => service.context.db.collection<DeliveryRow>('deliveries');

/** A delivery that has been due for a minute. */
function overdue(subscriptionId: string, fields: Partial<DeliveryRow> = {}): DeliveryRow {
  const event = { _id: randomUUID(), type: 'hold_created' as const };
  const receiver = { _id: subscriptionId, partnerId: randomUUID() };
  return { ...newDelivery(event, receiver, new Date(Date.now() - 60_000)), ...fields };
}

test('the sweep adds every missing job, also after many pages of deliveries that have one', async () => {
  const failing = Array.from({ length: 30 }, () => overdue('failing'));
  const healthy = overdue('healthy', { _id: 'zzz-the-last-by-id' });
  await deliveries().insertMany([...failing, healthy]);

  expect(await inHost.sweep(10)).toEqual([10, 10, 10, 1]);
  expect(await inHost.sweep(10)).toEqual([0, 0, 0, 0]);
  expect(await jobState('webhook-delivery', `delivery-${healthy._id}-g1`)).toBeDefined();
});

test('while the queue is paused, the sweep adds each missing job once', async () => {
  await deliveries().deleteMany({});
  await pauseQueue('webhook-delivery');
  await deliveries().insertMany(Array.from({ length: 5 }, () => overdue('healthy')));
  expect([await inHost.sweep(100), await inHost.sweep(100)]).toEqual([[5], [0]]);
  await resumeQueue('webhook-delivery');
});

const queued = async () => (await inHost.queuedDeadLetters()).sort();

/** One sweep after `fill` leaves exactly these ids. Repeats both: on a busy machine Redis may end a sweep early. */
const expectSwept = (fill: () => Promise<void>, ids: readonly string[]) =>
  eventually('only dead letters are queued', async () => {
    await fill();
    expect(await inHost.clearDeadLetters()).toBe(0);
    expect(await queued()).toEqual(ids);
    return true;
  });

test.each([false, true])(
  'after a sweep, the dead-letter queue contains exactly the dead letters (paused: %s)',
  async (isPaused) => {
    const dead = { state: 'dead_letter', nextAttemptAt: null, deadLetteredAt: new Date() } as const;
    const others = (['pending', 'retrying', 'succeeded', 'cancelled', 'discarded'] as const).map((state) => ({
      state,
    }));
    const rows = Array.from({ length: 5 }, () => [dead, ...others, dead].map((fields) => overdue('s', fields))).flat();
    await deliveries().deleteMany({});
    await inHost.clearDeadLetters();
    await deliveries().insertMany(rows);
    if (isPaused) await pauseQueue('dead-letter');
    const deadIds = rows.flatMap((row) => (row.state === 'dead_letter' ? [row._id] : [])).sort();

    await expectSwept(async () => {
      await inHost.addDeadLetters([...rows.map((row) => row._id), 'of-no-row']);
      expect(await queued()).toHaveLength(rows.length + 1);
    }, deadIds);

    await inHost.removeDeadLetters(deadIds.slice(3));
    await expectSwept(() => restoreDeadLetterQueue(100), deadIds);
    await resumeQueue('dead-letter');
  },
);

test('the sweep raises a dead letter that has no alert, and logs its ids; if it fails, the next sweep retries', async () => {
  const { partner, slot } = await startScene(service);
  const { id: subscriptionId } = await subscribe(partner, 'http://127.0.0.1:9/no-receiver', ['booking_created']);
  const { hold_id, booking_id } = await bookSlot(partner, slot());
  await service.dispatch(String(hold_id));
  const { _id: id } = await rowOf(service, 'deliveries', { subscriptionId });
  await service.attempt(id, 5);
  await changeRow(service, 'deliveries', id, { $set: { alertPending: true } });
  const { eventId: event_id, attempts } = await rowOf(service, 'deliveries', { _id: id });

  expect(await inHost.raiseForgotten(true)).toBe(0);
  expect(
    linesOf(await service.logs(), 'operators could not be alerted of a dead letter; the next sweep retries it'),
  ).toMatchObject([{ delivery: id, event_id }]);
  expect(await inHost.raiseForgotten()).toBe(1);
  const raised = linesOf(await service.logs(), 'a webhook delivery failed after 5 attempts and is a dead letter');
  expect(raised.findLast((line) => line['delivery'] === id)).toMatchObject({
    event_id,
    delivery_id: attempts.at(-1)?.deliveryId,
    hold_id,
    booking_id,
    request_id: expect.any(String),
  });
});

test('a delivery whose secret no key can decrypt waits without an attempt, and operators are alerted', async () => {
  const { partner, slot } = await startScene(service);
  const { id: subscriptionId } = await subscribe(partner, 'http://127.0.0.1:9/never-called', ['hold_created']);
  const sealedWithOther = { $set: { sealedSecret: 'v2.00000000.xxx' } };
  await changeRow(service, 'webhook_subscriptions', subscriptionId, sealedWithOther);
  const id = await anyDelivery(service, partner, partner, slot());

  expect(await service.attempt(id)).toMatchObject({ kind: 'later' });

  expect(await rowOf(service, 'deliveries', { _id: id })).toMatchObject({ state: 'pending', attempts: [] });
  expect(await service.logs()).toContain('"alert":"secret_unreadable"');
});
