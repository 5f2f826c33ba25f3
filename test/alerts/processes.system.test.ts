import { afterAll, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { placeHold, subscribe } from '../support/factories.ts';
import { startReceiver } from '../support/receiver.ts';
import { changeRow } from '../support/rows.ts';
import { startScene } from '../support/scene.ts';
import { startService } from '../support/service.ts';
import { endProcesses, startProcess, stopProcess } from '../support/worker-process.ts';
import { alertsOf, insertDeadLetters, startAlertReceiver } from './watching.ts';

const service = await startService();
const { partner, slots } = await startScene(service, { resources: [{ duration_minutes: 5 }] });
const alerts = await startAlertReceiver();
const endpoint = await startReceiver();
await subscribe(partner, endpoint.url, ['hold_created']);
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
  const overdue = [{ $set: { holdExpiresAt: { $subtract: ['$$NOW', 31_000] } } }];
  await changeRow(service, 'reservations', overdueHold['hold_id'], overdue);

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

test('the API raises alerts too, while no worker runs', async () => {
  await service.context.db.collection('alerts').deleteMany({});
  await service.context.queues.byName('webhook-delivery').pause();
  const api = startProcess('src/main/api.ts', service.environment);
  const raised = await eventually('the alert is raised', async () =>
    (await alertsOf(service, { kind: 'queue_paused' })).at(0),
  );
  expect(raised.subject).toBe('webhook-delivery');
  expect((await stopProcess(api)).code).toBe(0);
});
