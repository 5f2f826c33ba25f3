import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { expectStatus, type Partner, placeHold, subscribe } from '../support/factories.ts';
import { startReceiver, type WebhookReceiver } from '../support/receiver.ts';
import { startScene } from '../support/scene.ts';
import { type Service, startService } from '../support/service.ts';
import { endProcesses, startProcess, stopProcess } from '../support/worker-process.ts';
import { alertsOf, insertDeadLetters, startAlertReceiver } from './watching.ts';

let service: Service;
let partner: Partner;
let slots: string[];
let alerts: WebhookReceiver;
let endpoint: WebhookReceiver;
let subscriptionId: string;
beforeAll(async () => {
  service = await startService();
  ({ partner, slots } = await startScene(service, { resources: [{ duration_minutes: 5 }] }));
  alerts = await startAlertReceiver();
  endpoint = await startReceiver();
  subscriptionId = (await subscribe(partner, endpoint.url, ['hold_created'])).id;
});
afterAll(async () => {
  await endProcesses();
  await Promise.all([alerts.close(), endpoint.close()]);
  await service.stop();
});

test('a worker delivers while ALERT_URL hangs, raises an alert for the work of a missing worker, and stops in time', async () => {
  let isGivenUp = false;
  alerts.respondWith((_post, response) => void response.on('close', () => (isGivenUp = true)));
  await insertDeadLetters(service, 'subscription', partner.id, ['dead']);
  // No hold-expiry worker runs, so this hold stays overdue.
  const overdueHold = await placeHold(partner, slots.pop() ?? '');
  await service.context.db
    .collection('reservations')
    .updateOne({ _id: overdueHold['hold_id'] as never }, [
      { $set: { holdExpiresAt: { $subtract: ['$$NOW', 31_000] } } },
    ]);

  const worker = startProcess('workers/webhook-delivery.ts', { ...service.environment, ALERT_URL: alerts.url });
  await worker.ready;
  await eventually('the POST has arrived', () => alerts.received.length === 1);
  const first = await placeHold(partner, slots.pop() ?? '');
  await eventually('the first event is delivered', () =>
    endpoint.received.some(({ body }) => body['hold_id'] === first['hold_id']),
  );
  // Deliveries do not wait for the POST.
  expect(isGivenUp).toBe(false);
  const others = await Promise.all(slots.slice(0, 60).map((slotId) => placeHold(partner, slotId)));
  await eventually('all events are delivered', () => endpoint.received.length === others.length + 2);
  await eventually('control: the POST is given up in time', () => isGivenUp);
  const raised = await eventually('the alert is raised', async () =>
    (await alertsOf(service, { kind: 'hold_overdue' })).at(0),
  );
  expect(raised.count).toBe(1);
  expect(worker.output()).not.toContain('SECRET-PATH');

  expect((await service.context.queues.readStates())?.map(({ workers }) => workers)).toEqual([0, 1]);

  const { code, tookMs } = await stopProcess(worker);
  expect(code).toBe(0);
  expect(tookMs).toBeLessThan(10_000);
});

test('the API raises alerts too, while the webhook queue is paused and no worker runs', async () => {
  const { db, queues } = service.context;
  await queues.byName('webhook-delivery').pause();
  const halfAMinuteAgo = { $subtract: ['$$NOW', 31_000] };
  const { hold_id } = await placeHold(partner, slots.pop() ?? '');
  await db
    .collection('reservations')
    .updateOne({ _id: hold_id as never }, [{ $set: { outboxSince: halfAMinuteAgo, holdExpiresAt: halfAMinuteAgo } }]);
  // The API creates the delivery of a sample event itself.
  expectStatus(await partner.api.post(`/api/v1/partner/webhooks/${subscriptionId}/test`), 202);
  await db.collection('deliveries').updateMany({ state: 'pending' }, [{ $set: { nextAttemptAt: halfAMinuteAgo } }]);
  await db.collection('alerts').deleteMany({});
  const api = startProcess('src/main/api.ts', service.environment);
  const raised = await eventually(
    'four alerts are raised',
    async () => {
      // `worker_absent` is correct as well, and is raised if the wait takes half a minute.
      const rows = (await alertsOf(service)).filter(({ kind }) => kind !== 'worker_absent');
      return rows.length >= 4 && rows;
    },
    40_000,
  );
  expect(raised.map(({ kind }) => kind).toSorted()).toEqual([
    'delivery_overdue',
    'event_undispatched',
    'hold_overdue',
    'queue_paused',
  ]);
  expect((await stopProcess(api)).code).toBe(0);
});
