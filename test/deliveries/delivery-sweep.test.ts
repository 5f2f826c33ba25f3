import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Worker } from 'bullmq';
import {
  clearDeadLetterQueue,
  restoreDeadLetterQueue,
} from '../../src/deliveries/dead-letter-queue.service.ts';
import { deliverWebhook } from '../../src/deliveries/deliver-webhook.service.ts';
import type { DeliveryRow } from '../../src/deliveries/deliveries.model.ts';
import { deliveryCollection } from '../../src/deliveries/deliveries.model.ts';
import { rearmOverdueDeliveries } from '../../src/deliveries/sweep-deliveries.service.ts';
import { dispatchEvents } from '../../src/dispatch/event-dispatch.service.ts';
import { createSecretBox } from '../../src/platform/secret-box.ts';
import { createSendPermits } from '../../src/sender/send-permits.ts';
import { eventually } from '../support/eventually.ts';
import { anyPartner, anyVenue, expectStatus, freeSlotIds, placeHold } from '../support/factories.ts';
import type { Service } from '../support/service.ts';
import { startService } from '../support/service.ts';

let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** A delivery that has been due for a minute. */
function overdue(subscriptionId: string, fields: Partial<DeliveryRow> = {}): DeliveryRow {
  const aMinuteAgo = new Date(Date.now() - 60_000);
  return {
    _id: randomUUID(),
    eventId: randomUUID(),
    eventType: 'hold_created',
    subscriptionId,
    partnerId: randomUUID(),
    state: 'pending',
    generation: 1,
    attemptsMade: 0,
    attempts: [],
    nextAttemptAt: aMinuteAgo,
    leaseUntil: null,
    deadLetteredAt: null,
    createdAt: aMinuteAgo,
    ...fields,
  };
}

test('the sweep puts back every lost job, also those behind many whose jobs are there', async () => {
  const { db } = service.context;
  const ofFailingEndpoint = Array.from({ length: 30 }, () => overdue('failing'));
  const ofHealthyEndpoint = overdue('healthy', { _id: 'zzz-the-last-by-id' });
  await deliveryCollection(db).insertMany([...ofFailingEndpoint, ofHealthyEndpoint]);
  const sweep = async () => {
    const bounds = { graceMs: 5000, limit: 10, stopping: new AbortController().signal };
    const counts: number[] = [];
    for (let afterId: string | undefined = ''; afterId !== undefined; ) {
      const page = await rearmOverdueDeliveries(service.context, { ...bounds, afterId });
      counts.push(page.count);
      afterId = page.next;
    }
    return counts;
  };

  expect(await sweep()).toEqual([10, 10, 10, 1]);
  expect(await sweep()).toEqual([0, 0, 0, 0]);
  const queue = service.context.queues.byName('webhook-delivery');
  expect(await queue.getJob(`delivery-${ofHealthyEndpoint._id}-g1`)).toBeDefined();
});

test('while the queue is paused nothing is sent and nothing doubled; resumed, everything goes once', async () => {
  const { config, db, queues } = service.context;
  const queue = queues.byName('webhook-delivery');
  await queue.obliterate({ force: true });
  await deliveryCollection(db).deleteMany({});
  const before = Array.from({ length: 5 }, () => overdue('healthy'));
  const meanwhile = Array.from({ length: 5 }, () => overdue('healthy'));
  const sweepOnce = async () => {
    const bounds = { graceMs: 5000, limit: 100, afterId: '', stopping: new AbortController().signal };
    return (await rearmOverdueDeliveries(service.context, bounds)).count;
  };
  await deliveryCollection(db).insertMany(before);
  expect(await sweepOnce()).toBe(5);
  await queue.pause();
  await deliveryCollection(db).insertMany(meanwhile);
  expect([await sweepOnce(), await sweepOnce()]).toEqual([5, 0]);

  const taken: string[] = [];
  const worker = new Worker('webhook-delivery', async (job) => void taken.push(job.data.deliveryId), {
    connection: { url: config.redisUrl },
    prefix: config.queuePrefix,
  });
  try {
    await eventually('the worker is there', async () => (await queue.getWorkersCount()) === 1);
    expect([taken.length, await queue.getActiveCount()]).toEqual([0, 0]);
    await queue.resume();
    await eventually('all are taken', () => taken.length >= 10);
    expect(taken.toSorted()).toEqual([...before, ...meanwhile].map(({ _id }) => _id).toSorted());
  } finally {
    await worker.close();
  }
});

describe('the dead-letter queue', () => {
  const queued = async (): Promise<string[]> => {
    const jobs = await service.context.queues.byName('webhook-dead-letter').getJobs(['waiting']);
    return jobs.map((job) => String(job.data['deliveryId'])).sort();
  };
  const clear = () => {
    const stopping = new AbortController().signal;
    return clearDeadLetterQueue(service.context, { limit: 4, from: 0, stopping });
  };

  test.each([false, true])(
    'shows after a sweep what is a dead letter, and nothing else (paused: %s)',
    async (isPaused) => {
      const { db, queues } = service.context;
      const dead = { state: 'dead_letter', nextAttemptAt: null, deadLetteredAt: new Date() } as const;
      const others = (['pending', 'retrying', 'succeeded', 'cancelled', 'discarded'] as const).map(
        (state) => ({ state }),
      );
      const rows = Array.from({ length: 5 }, () =>
        [dead, ...others, dead].map((fields) => overdue('s', fields)),
      ).flat();
      await deliveryCollection(db).deleteMany({});
      await clear();
      await deliveryCollection(db).insertMany(rows);
      if (isPaused) await queues.byName('webhook-dead-letter').pause();
      await queues.addDeadLetters([...rows.map((row) => row._id), 'of-no-row']);
      expect(await queued()).toHaveLength(rows.length + 1);
      const deadIds = rows.flatMap((row) => (row.state === 'dead_letter' ? [row._id] : [])).sort();

      expect(await clear()).toBe(0);
      expect(await queued()).toEqual(deadIds);

      await queues.removeDeadLetters(deadIds.slice(3));
      await restoreDeadLetterQueue(service.context, 100);
      expect(await clear()).toBe(0);
      expect(await queued()).toEqual(deadIds);
      await queues.byName('webhook-dead-letter').resume();
    },
  );
});

test('a secret that no key opens costs no attempt, and the operator is told', async () => {
  const venue = await anyVenue(service);
  const partner = await anyPartner(service, [venue.id]);
  const subscription = expectStatus(
    await partner.api.post('/api/v1/partner/webhooks', {
      endpoint_url: 'http://127.0.0.1:9/never-called',
      event_types: ['hold_created'],
    }),
    201,
  );
  const [slotId] = await freeSlotIds(partner, venue.id);
  const hold = await placeHold(partner, String(slotId));
  await dispatchEvents(service.context, String(hold['hold_id']));
  const filter = { subscriptionId: String(subscription['id']) };
  const row = await deliveryCollection(service.context.db).findOne(filter);
  const deps = {
    ...service.context,
    secretBox: createSecretBox([Buffer.alloc(32, 99)]),
    sender: { send: () => Promise.reject(new Error('nothing may be sent')) },
    permits: createSendPermits(10, 2),
  };

  const result = await deliverWebhook(deps, {
    deliveryId: String(row?._id),
    subscriptionId: filter.subscriptionId,
    generation: 1,
    partnerId: 'p',
    failuresKnown: 0,
    signal: new AbortController().signal,
  });

  expect(result).toMatchObject({ kind: 'later', attemptsMade: 0 });
  expect(await deliveryCollection(service.context.db).findOne(filter)).toMatchObject({
    state: 'pending',
    attempts: [],
  });
  expect(service.logs()).toContain('"alert":"secret_unreadable"');
});
