import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { AlertKind } from '../../src/operations/alerts/alert-types.ts';
import type * as Reservations from '../../src/reservations/reservations.service.ts';
import { anyDelivery } from '../support/deliveries.ts';
import { expectStatus, type Json, operatorOf, placeHold, subscribe } from '../support/factories.ts';
import type * as Queues from '../support/queues.in-host.ts';
import { startReceiver } from '../support/receiver.ts';
import { changeRow } from '../support/rows.ts';
import { startScene } from '../support/scene.ts';
import { hostedService } from '../support/service-host.ts';
import type * as Conditions from './conditions.in-host.ts';
import {
  ageAlerts,
  alertsOf,
  HOUR_MS,
  insertDeadLetters,
  MINUTE_MS,
  sweep,
  sweepAll,
  timesLogged,
} from './watching.ts';

const service = await hostedService();
const { sweepAfter, startWorker, stopWorker, raiseConcurrently } = service.inHost<typeof Conditions>(
  'test/alerts/conditions.in-host.ts',
);
const { pauseQueue, resumeQueue } = service.inHost<typeof Queues>('test/support/queues.in-host.ts');
const { expireHolds } = service.inHost<typeof Reservations>('src/reservations/reservations.service.ts');
const operator = operatorOf(service);
const { partner, slot } = await startScene(service, { resources: [{ duration_minutes: 15 }] });
const receiver = await startReceiver();
const subscriptionId = (await subscribe(partner, receiver.url)).id;
afterAll(async () => {
  await receiver.close();
  await service.stop();
});
beforeEach(async () => {
  const { db } = service.context;
  const waiting = ['deliveries', 'reservations', 'catalog_outbox'];
  await Promise.all(['alerts', ...waiting].map((name) => db.collection(name).deleteMany({})));
  receiver.respondWith(200);
});

const holdOne = async () => String((await placeHold(partner, slot()))['hold_id']);
const setBack = (name: string, id: string, field: string, ms: number) =>
  changeRow(service, name, id, [{ $set: { [field]: { $subtract: ['$$NOW', ms] } } }]);

/** Expects that the alert is still open now, and resolved after a minute without its condition. */
async function expectResolved(kind: AlertKind): Promise<void> {
  await sweep(service);
  expect(await alertsOf(service, { kind, isOpen: true })).toHaveLength(1);
  await ageAlerts(service, MINUTE_MS);
  await sweep(service);
  const [alert] = await alertsOf(service, { kind });
  expect([alert?.isOpen, alert?.resolvedAt instanceof Date]).toEqual([false, true]);
}

const dispatchedHold = async () => {
  const holdId = await holdOne();
  await service.dispatch(holdId);
  return holdId;
};

type Waiting = {
  kind: AlertKind;
  collection: string;
  field: string;
  sentence: string;
  begin: () => Promise<string>;
  end: (id: string) => Promise<unknown>;
};
test.each<Waiting>([
  {
    kind: 'event_undispatched',
    collection: 'reservations',
    field: 'outboxSince',
    sentence: 'Check that webhook delivery runs.',
    begin: holdOne,
    end: service.dispatch,
  },
  {
    kind: 'hold_overdue',
    collection: 'reservations',
    field: 'holdExpiresAt',
    sentence: 'Check that hold expiry runs.',
    begin: dispatchedHold,
    end: (id) => expireHolds([id]),
  },
  {
    kind: 'delivery_overdue',
    collection: 'deliveries',
    field: 'nextAttemptAt',
    sentence: '1 webhook delivery is due and not sent since',
    begin: () => anyDelivery(service, partner, partner, slot()),
    end: (id) => service.attempt(id),
  },
])('$kind is raised after 30 s but not after 20 s, and resolved once the work is done', async (waiting) => {
  const { kind, collection, field, sentence, begin, end } = waiting;
  const id = await begin();
  await setBack(collection, id, field, 20_000);
  await sweep(service);
  expect(await alertsOf(service, { kind })).toEqual([]);
  await setBack(collection, id, field, 31_000);
  await sweep(service);
  expect(await alertsOf(service, { kind })).toMatchObject([{ subject: null, count: 1, since: expect.any(Date) }]);
  expect(await timesLogged(service, sentence)).toBe(1);

  await end(id);
  await expectResolved(kind);
});

describe('a delivery', () => {
  const overdueOf = () => alertsOf(service, { kind: 'delivery_overdue' });

  test('is not overdue during an attempt of any length; control: it is overdue once the lock expires', async () => {
    const deliveryId = await anyDelivery(service, partner, partner, slot());
    await setBack('deliveries', deliveryId, 'nextAttemptAt', 59_000);
    await setBack('deliveries', deliveryId, 'leaseUntil', -5000);
    await sweep(service);
    expect(await overdueOf()).toEqual([]);
    await setBack('deliveries', deliveryId, 'leaseUntil', 1000);
    await sweep(service);
    expect(await overdueOf()).toHaveLength(1);
  });

  test('that waits for its turn at a failing endpoint is not overdue; control: overdue after a success', async () => {
    const [first, second] = [
      await anyDelivery(service, partner, partner, slot()),
      await anyDelivery(service, partner, partner, slot()),
    ];
    receiver.respondWith(500);
    await service.attempt(first, 3);
    await setBack('deliveries', second, 'nextAttemptAt', 31_000);
    await sweep(service);
    expect(await overdueOf()).toEqual([]);
    receiver.respondWith(200);
    await service.attempt(first);
    await sweep(service);
    expect(await overdueOf()).toMatchObject([{ count: 1 }]);
  });
});

describe('a queue', () => {
  test('that an operator paused raises an alert with operator, time and reason, until it is resumed; other pauses have no such details', async () => {
    const paused = () => alertsOf(service, { kind: 'queue_paused', isOpen: true });
    const reason = { 'x-reason': encodeURIComponent('Endpoint under attack') };
    const path = '/queues/api/queues/webhook-delivery';
    expect((await operator.send('PUT', `${path}/pause`, { headers: reason })).status).toBe(200);
    await sweep(service);
    const [row] = await paused();
    expect(row).toMatchObject({
      subject: 'webhook-delivery',
      partnerId: null,
      count: 1,
      pause: { by: expect.stringMatching(/^op_/), reason: 'Endpoint under attack' },
    });
    expect(await timesLogged(service, 'The queue webhook-delivery is paused: no webhook is sent')).toBe(1);
    const listing = expectStatus(await operator.get('/api/v1/operator/alerts?kind=queue_paused'), 200);
    expect(listing['data']).toMatchObject([
      { paused_by: row?.pause?.by, reason: 'Endpoint under attack', since: row?.since?.toISOString() },
    ]);
    expect(JSON.stringify(listing)).toContain(`Paused by ${row?.pause?.by}: “Endpoint under attack”.`);
    // Pause again without the admin listener: the new pause has no operator, time or reason.
    expect((await operator.send('PUT', `${path}/resume`)).status).toBe(200);
    await pauseQueue('webhook-delivery');
    await sweep(service);
    expect(await paused()).toMatchObject([{ pause: null, since: null }]);
    await resumeQueue('webhook-delivery');
    await expectResolved('queue_paused');
  });

  test('without a worker for half a minute raises an alert, which is resolved when a worker takes jobs', async () => {
    const absentAfter = async (ms: number) => {
      await sweepAfter(ms);
      return (await alertsOf(service, { kind: 'worker_absent', isOpen: true }))
        .map(({ subject }) => String(subject))
        .toSorted();
    };
    // No alert at first, because workers may be starting, and none after a long time without sweeps.
    expect(await absentAfter(0)).toEqual([]);
    expect(await absentAfter(120_000)).toEqual([]);
    for (const ms of [10_000, 10_000]) expect(await absentAfter(ms)).toEqual([]);
    expect(await absentAfter(10_000)).toEqual(['hold-expiry', 'webhook-delivery']);

    try {
      await startWorker();
      await ageAlerts(service, MINUTE_MS);
      expect(await absentAfter(5000)).toEqual(['hold-expiry']);
    } finally {
      await stopWorker();
    }
  });
});

const subscription = () =>
  service.context.db.collection('webhook_subscriptions').findOne({ _id: subscriptionId as never });

test('an endpoint that has failed for an hour, not one that has for 59 minutes, raises an alert; a success resolves it', async () => {
  const deliveryId = await anyDelivery(service, partner, partner, slot());
  receiver.respondWith(500);
  await service.attempt(deliveryId, 2);
  expect(await subscription()).toMatchObject({ consecutiveFailures: 2, failingSince: expect.any(Date) });
  await setBack('webhook_subscriptions', subscriptionId, 'failingSince', HOUR_MS - MINUTE_MS);
  await sweep(service);
  expect(await alertsOf(service)).toEqual([]);
  await setBack('webhook_subscriptions', subscriptionId, 'failingSince', HOUR_MS);
  await sweep(service);
  expect(await alertsOf(service)).toMatchObject([
    { kind: 'endpoint_failing', subject: subscriptionId, partnerId: partner.id, count: 2 },
  ]);

  receiver.respondWith(200);
  await service.attempt(deliveryId);
  expect(await subscription()).not.toHaveProperty('failingSince');
  await expectResolved('endpoint_failing');
});

test('a missing guard index raises an alert, which the migration resolves; other missing indexes raise none', async () => {
  const reservations = service.context.db.collection('reservations');
  await reservations.dropIndex('holds_of_partner');
  await sweep(service);
  expect(await alertsOf(service)).toEqual([]);
  await reservations.dropIndex('one_claim_per_cell');
  await sweep(service);
  expect(await alertsOf(service)).toMatchObject([
    { kind: 'guard_index_absent', missingIndexes: ['one_claim_per_cell'] },
  ]);

  await service.migrate();
  await expectResolved('guard_index_absent');
});

test('a Redis that is known to have no append-only file raises an alert, unless the setting accepts it', async () => {
  await sweep(service, { isRedisPersistent: false, redisAllowVolatile: true });
  await sweep(service, { isRedisPersistent: 'unknown' });
  expect(await alertsOf(service)).toEqual([]);
  await sweep(service, { isRedisPersistent: false });
  expect(await alertsOf(service)).toMatchObject([{ kind: 'redis_volatile', subject: null, count: 1 }]);
  expect(await timesLogged(service, 'Redis has no append-only file')).toBe(1);
  await expectResolved('redis_volatile');
});

describe('dead letters', () => {
  test('raise an alert and log one error line each; the alert is resolved when they are delivered', async () => {
    const deliveryId = await anyDelivery(service, partner, partner, slot());
    receiver.respondWith(500);
    await service.attempt(deliveryId, 5);
    await sweep(service);
    await sweep(service);
    expect(await alertsOf(service, { kind: 'dead_letter' })).toMatchObject([
      {
        subject: subscriptionId,
        partnerId: partner.id,
        count: 1,
        deliveryIds: [deliveryId],
        cause: 'http_status 500',
        isUntold: true,
      },
    ]);
    expect(await timesLogged(service, '"alert":"dead_letter"')).toBe(1);

    receiver.respondWith(200);
    await operatorOf(service).post(`/api/v1/operator/dead-letters/${deliveryId}/redrive`);
    await service.attempt(deliveryId);
    await expectResolved('dead_letter');
  });

  const total = async () => {
    const row = await service.context.db.collection('alert_state').findOne({ _id: 'dead-letters' as never });
    return Number(row?.['total'] ?? 0);
  };
  const named = (prefix: string, length: number) => Array.from({ length }, (_, index) => `${prefix}-${index}`);
  const counts = async () =>
    (await alertsOf(service, { kind: 'dead_letter' })).map(({ subject, count }) => `${subject}: ${count}`);

  test('are each counted once in their alerts and in the total, although four sweeps race', async () => {
    const before = await total();
    await insertDeadLetters(service, 'first', partner.id, named('one', 300));
    await insertDeadLetters(service, 'second', partner.id, named('two', 200));
    await sweep(service, { concurrency: 4 });
    // A sweep that loses a race leaves the rest to the next one.
    await sweepAll(service);
    expect((await counts()).toSorted()).toEqual(['first: 300', 'second: 200']);
    expect((await total()) - before).toBe(500);
  });
});

describe('an alert', () => {
  const anyOverdueHold = async () => {
    const holdId = await dispatchedHold();
    await setBack('reservations', holdId, 'holdExpiresAt', 31_000);
    return holdId;
  };

  test('is raised once by 40 concurrent calls; control: without the unique index, it can be raised twice', async () => {
    const { db } = service.context;
    expect(await raiseConcurrently(40)).toBe(1);
    const [row] = await alertsOf(service);
    const another = () => db.collection('alerts').insertOne({ ...row, _id: 'another' as never });
    await expect(another()).rejects.toMatchObject({ code: 11_000 });
    await db.collection('alerts').dropIndex('one_open_alert_per_subject');
    await another();
    expect(await alertsOf(service)).toHaveLength(2);
    await db.collection('alerts').deleteMany({});
    await service.migrate();
  });

  test('stays open if its condition returns within a minute; after that, the condition raises a new alert', async () => {
    const first = await anyOverdueHold();
    await sweep(service);
    await expireHolds([first]);
    await ageAlerts(service, 50_000);
    await sweep(service);
    const second = await anyOverdueHold();
    await sweep(service);
    expect(await alertsOf(service)).toHaveLength(1);

    await expireHolds([second]);
    await ageAlerts(service, MINUTE_MS);
    await sweep(service);
    await anyOverdueHold();
    await sweep(service);
    const alerts = await alertsOf(service, { kind: 'hold_overdue' });
    expect(alerts.map(({ isOpen }) => isOpen)).toEqual([false, true]);
  });

  test('is listed while it is open, latest first; a filter lists resolved ones too', async () => {
    const [a, b, c] = [randomUUID(), randomUUID(), randomUUID()];
    const subjects = async (query: string) => {
      const { data } = expectStatus(await operator.get(`/api/v1/operator/alerts?${query}`), 200);
      return (data as Json[]).map(({ kind, subject }) => subject ?? kind);
    };
    await sweep(service, { guards: ['one_claim_per_cell'] });
    await ageAlerts(service, MINUTE_MS);
    await sweep(service);
    for (const subject of [a, b, c]) {
      await insertDeadLetters(service, subject, partner.id, [randomUUID()]);
      await sweep(service);
    }
    expect(await subjects('')).toEqual([c, b, a]);
    expect(await subjects('status=resolved')).toEqual(['guard_index_absent']);
    expect(await subjects('status=all')).toEqual([c, b, a, 'guard_index_absent']);
    expect(await subjects('status=all&kind=guard_index_absent')).toEqual(['guard_index_absent']);
  });

  test('whose condition cannot be read is neither raised nor resolved; other alerts are', async () => {
    await sweep(service, { guards: ['one_claim_per_cell'] });
    await ageAlerts(service, 2 * MINUTE_MS);
    await anyOverdueHold();
    await sweep(service, { guards: 'unreadable' });
    const open = await alertsOf(service, { isOpen: true });
    expect(open.map(({ kind }) => kind).toSorted()).toEqual(['guard_index_absent', 'hold_overdue']);
  });
});
