import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type * as DeadLetterQueue from '../../src/webhooks/deliveries/dead-letter-queue.service.ts';
import { alertsOf, sweep } from '../alerts/watching.ts';
import { confirm, expire, HOLDS, release } from '../conformance/steps.ts';
import { eventually } from '../support/eventually.ts';
import type { Json } from '../support/factories.ts';
import { anyPartner, bookSlot, expectStatus, operatorOf, placeHold, subscribe } from '../support/factories.ts';
import { type BoardJob, queueBoardOf } from '../support/queue-board.ts';
import type * as QueuesInHost from '../support/queues.in-host.ts';
import { startReceiver } from '../support/receiver.ts';
import { changeRow, rowOf, rowsOf } from '../support/rows.ts';
import { startScene } from '../support/scene.ts';
import { hostedService } from '../support/service-host.ts';

const service = await hostedService({
  overrides: { WEBHOOK_RETRY_DELAYS_SECONDS: '0.1,0.1' },
  hasWorkers: true,
});
const { addJob, pauseQueue, resumeQueue } = service.inHost<typeof QueuesInHost>('test/support/queues.in-host.ts');
const { restoreDeadLetterQueue } = service.inHost<typeof DeadLetterQueue>(
  'src/webhooks/deliveries/dead-letter-queue.service.ts',
);
const operator = operatorOf(service);
const board = queueBoardOf(service);
const receiver = await startReceiver(503);
const { host } = new URL(receiver.url);
afterAll(async () => {
  await service.stop();
  await receiver.close();
});
const { venue, partner, rival, slot } = await startScene(service);

const expiryJobOf = async (hold: Json, expiresAt: unknown = hold['hold_expiry_at']) =>
  (await board.jobs('hold-expiry', 'delayed')).find(
    ({ data }) => data['hold_id'] === hold['hold_id'] && data['expires_at'] === expiresAt,
  );
const untilNoExpiryJob = (hold: Json, expiresAt?: unknown): Promise<boolean> =>
  eventually('the job is gone', async () => (await expiryJobOf(hold, expiresAt)) === undefined);
const untilExpiryJob = (hold: Json): Promise<BoardJob> =>
  board.job('hold-expiry', 'delayed', ({ data }) => data['hold_id'] === hold['hold_id']);

describe('the expiry job of a hold', () => {
  test('shows which hold of which slot expires when, and links to the hold', async () => {
    const slotId = slot();
    const hold = await placeHold(partner, slotId);

    const job = await untilExpiryJob(hold);

    expect(job.name).toBe(`expire hold · ${slotId}`);
    expect(job.data).toEqual({
      hold_id: hold['hold_id'],
      slot_id: slotId,
      venue_id: venue.id,
      expires_at: hold['hold_expiry_at'],
    });
    expect(job.externalUrl?.href).toBe(`/holds/${String(hold['hold_id'])}`);
    const page = await operator.get(`/holds/${String(hold['hold_id'])}`, { accept: 'text/html' });
    expect(page.text).toContain(`href="/queues/queue/hold-expiry/${job.id}"`);
  });

  const walkIn = (body: Json) => operator.post('/api/v1/operator/walk-ins', body);
  const grantOfRival = `/api/v1/operator/partners/${rival.id}/venues/${venue.id}`;
  test.each<[how: string, end: (hold: Json) => Promise<unknown>]>([
    ['is confirmed', (hold) => confirm(rival, hold['hold_id'])],
    ['is released', (hold) => release(rival, hold['hold_id'])],
    ['is overridden by a walk-in', (hold) => walkIn({ slot_id: hold['slot_id'], override_holds: true })],
    ['is expired by a call', (hold) => expire(rival, hold['hold_id'])],
    ['ends with the grant for the venue', () => operator.delete(grantOfRival)],
  ])('disappears when the hold %s', async (_how, end) => {
    const hold = await placeHold(rival, slot());
    await untilExpiryJob(hold);
    await end(hold);
    expect(await untilNoExpiryJob(hold)).toBe(true);
  });

  test('is replaced by one with the new expiry when the hold is extended', async () => {
    const hold = await placeHold(partner, slot());
    const before = await untilExpiryJob(hold);
    const path = `${HOLDS}/${String(hold['hold_id'])}/extend`;
    const extended = expectStatus(await partner.api.post(path, { ttl_seconds: 1200 }), 200);
    await eventually('the new job is there', () => expiryJobOf(extended));
    expect(await untilNoExpiryJob(hold, before.data['expires_at'])).toBe(true);
  });
});

describe('an expiry job returns its result:', () => {
  const past = new Date(0).toISOString();
  const resultOf = async (data: object) => {
    const jobId = await addJob('hold-expiry', data);
    return (await board.job('hold-expiry', 'completed', ({ id }) => id === jobId)).returnValue;
  };
  const dataOf = (hold: Json) => ({ hold_id: hold['hold_id'], slot_id: 's', venue_id: 'v', expires_at: past });
  test.each([
    ['hold_id', dataOf],
    ['holdId of release 1.0.0', (hold: Json) => ({ holdId: hold['hold_id'] })],
  ])('expired, by %s', async (_shape, toData) => {
    const hold = await placeHold(partner, slot());
    await changeRow(service, 'reservations', hold['hold_id'], [{ $set: { holdExpiresAt: '$$NOW' } }]);
    expect(await resultOf(toData(hold))).toEqual({ expired: 1 });
    expect(await rowOf(service, 'reservations', { _id: hold['hold_id'] })).toMatchObject({ status: 'EXPIRED' });
  });

  test('skipped: confirmed, released, extended or gone', async () => {
    const booked = await bookSlot(partner, slot());
    const released = await placeHold(partner, slot());
    expectStatus(await release(partner, released['hold_id']), 200);
    const extended = await placeHold(partner, slot());
    const results = [booked, released, extended, { hold_id: 'none' }].map((hold) => resultOf(dataOf(hold)));
    expect(await Promise.all(results)).toEqual([
      { skipped: 'confirmed' },
      { skipped: 'released' },
      { skipped: 'extended' },
      { skipped: 'gone' },
    ]);
  });

  test('none if it runs before the hold’s expiry: it is delayed until then', async () => {
    const hold = await placeHold(partner, slot());
    const jobId = await addJob('hold-expiry', { ...dataOf(hold), expires_at: hold['hold_expiry_at'] });
    const job = await board.job('hold-expiry', 'delayed', ({ id }) => id === jobId);
    expect(job.delay).toBeGreaterThan(60_000);
    expect(await rowOf(service, 'reservations', { _id: hold['hold_id'] })).toMatchObject({ status: 'ACTIVE' });
  });
});

test('a dispatch job has the types and ids of its events, and returns how many deliveries it began', async () => {
  const hold = await placeHold(partner, slot());
  const isOfHold = ({ data }: BoardJob) =>
    (data['reservationIds'] as string[] | undefined)?.includes(String(hold['hold_id']));
  const job = await board.job('webhook-delivery', 'completed', (each) => isOfHold(each) === true);
  const { _id: eventId } = await rowOf(service, 'events', { holdId: hold['hold_id'], type: 'hold_created' });
  expect(job.name).toBe('dispatch events');
  expect(job.data).toEqual({
    reservationIds: [hold['hold_id']],
    events: [{ event_type: 'hold_created', event_id: eventId }],
  });
  expect(job.returnValue).toEqual({ events: 1, deliveries: 0 });
});

test('a dispatch job that fails three times goes to the dead-letter queue with the reason', async () => {
  const hold = await placeHold(partner, slot());
  const reservationId = String(hold['hold_id']);
  await eventually('its event is dispatched', async () =>
    (await rowsOf(service, 'events', { holdId: reservationId })).at(0),
  );
  const unknown = { eventId: 'e', type: 'no_such_event', at: new Date(), originatorId: partner.id, bookingId: null };
  await service.context.db
    .collection<{ _id: string }>('reservations')
    .updateOne({ _id: reservationId }, { $set: { outbox: [unknown] } }, { bypassDocumentValidation: true });
  const backoff = { type: 'exponential', delay: 1 };
  const jobId = await addJob('webhook-delivery', { reservationIds: [reservationId] }, { attempts: 3, backoff });
  const dead = await board.job('dead-letter', 'failed', ({ data }) => data['job_id'] === jobId);
  expect(dead.data).toMatchObject({ queue: 'webhook-delivery', attempts: 3, failed_at: expect.any(String) });
  expect(dead.failedReason).toMatch(/validation/);
  expect(dead.externalUrl?.href).toBe(`/holds/${reservationId}`);
  expect((await board.jobs('webhook-delivery', 'failed')).filter(({ id }) => id === jobId)).toEqual([]);
  expectStatus(await operator.send('PUT', `/queues/api/queues/dead-letter/${dead.id}/clean`), 204);
});

describe('a delivery', () => {
  let delivery: Json;
  let jobId: string;
  beforeAll(async () => {
    await subscribe(partner, receiver.url, ['booking_created']);
    await bookSlot(partner, slot());
    delivery = await eventually('the dead letter', async () =>
      (await rowsOf(service, 'deliveries', { state: 'dead_letter' })).at(0),
    );
    jobId = `delivery-${String(delivery['_id'])}-g1`;
  });
  const deliveryJob = () => board.job('webhook-delivery', 'failed', ({ id }) => id === jobId);
  const dead = () => board.job('dead-letter', 'failed', ({ data }) => data['delivery_id'] === delivery['_id']);

  test('has a job that names its event and its endpoint’s host; a failed one has a reason, without a stack', async () => {
    const job = await deliveryJob();
    expect(job.name).toBe(`booking_created → ${host}`);
    expect(job.data).toEqual({
      delivery_id: delivery['_id'],
      event_type: 'booking_created',
      event_id: delivery['eventId'],
      subscription_id: delivery['subscriptionId'],
      partner_id: partner.id,
      venue_id: venue.id,
      generation: 1,
      is_known_dead: true,
    });
    expect([job.failedReason, job.stacktrace]).toEqual([`HTTP 503 from ${host} (attempt 3 of 3)`, []]);
    expect(await board.logs('webhook-delivery', job.id)).toEqual([
      expect.stringMatching(new RegExp(`Z HTTP 503 from ${host} \\(attempt 2 of 3\\); the next in 0.1 s$`)),
      expect.stringMatching(new RegExp(`Z HTTP 503 from ${host} \\(attempt 3 of 3\\); dead letter$`)),
    ]);
    expect(job.externalUrl?.href).toBe(`/deliveries/${String(delivery['_id'])}`);
  });

  test('that is a dead letter has a job with its data and the reason, also after Redis has lost the job', async () => {
    const job = await dead();
    const expected = {
      name: 'booking_created → HTTP 503',
      failedReason: `HTTP 503 from ${host} (3 attempts)`,
      data: {
        delivery_id: delivery['_id'],
        event_type: 'booking_created',
        event_id: delivery['eventId'],
        subscription_id: delivery['subscriptionId'],
        endpoint_host: host,
        partner_id: partner.id,
        attempts: 3,
        last_status: 503,
        last_error: `HTTP 503 from ${host}`,
        failed_at: (delivery['deadLetteredAt'] as Date).toISOString(),
      },
    };
    expect(job).toMatchObject(expected);
    expectStatus(await operator.send('PUT', `/queues/api/queues/dead-letter/${job.id}/clean`), 204);
    await restoreDeadLetterQueue(10);
    expect(await dead()).toMatchObject(expected);
    const page = await operator.get(`/deliveries/${String(delivery['_id'])}`, { accept: 'text/html' });
    expect(page.text).toContain(`href="/queues/queue/dead-letter/${job.id}"`);
  });

  test('that is a dead letter is attempted once when its delivery job is retried, and stays a dead letter if that fails', async () => {
    const sentBefore = receiver.received.length;
    await board.retry('webhook-delivery', jobId);
    await eventually('it failed again', async () =>
      (await deliveryJob()).failedReason?.endsWith('(manual attempt, 4 in all)'),
    );
    expect(receiver.received).toHaveLength(sentBefore + 1);
    const [last] = receiver.received.slice(-1);
    expect(last?.body['event_id']).toBe(delivery['eventId']);
    expect(last?.headers['x-delivery-attempt']).toBe('4');
    const row = await rowOf(service, 'deliveries', { _id: delivery['_id'] });
    expect(row).toMatchObject({ state: 'dead_letter', nextAttemptAt: null });
  });

  test('that is a dead letter is attempted once when its dead-letter job is retried; on success, the job is removed', async () => {
    const { id } = await dead();
    const sentBefore = receiver.received.length;
    await board.retry('dead-letter', id);
    await eventually(
      'it failed again',
      async () => (await dead()).failedReason === `HTTP 503 from ${host} (manual attempt, 5 in all)`,
    );
    receiver.respondWith(200);
    await board.retry('dead-letter', id);
    await eventually(
      'it is delivered',
      async () => (await rowOf(service, 'deliveries', { _id: delivery['_id'] }))['state'] === 'succeeded',
    );
    await eventually('no dead letter is left', async () => (await board.jobs('dead-letter', 'failed')).length === 0);
    expect(receiver.received.length).toBe(sentBefore + 2);
    receiver.respondWith(503);
  });

  test('is found by a job of release 1.0.0 too', async () => {
    const { _id: deliveryId, subscriptionId } = delivery;
    const oldJob = { deliveryId, subscriptionId, partnerId: partner.id, generation: 1 };
    const id = await addJob('webhook-delivery', oldJob);
    const job = await board.job('webhook-delivery', 'completed', (each) => each.id === id);
    expect(job.returnValue).toEqual({ skipped: 'succeeded' });
  });
});

describe.each(['hold-expiry', 'webhook-delivery'] as const)('a job of %s with invalid data', (queue) => {
  test('fails immediately, goes to the dead-letter queue with a reason and an alert, and can be retried there', async () => {
    const poison = { some: 'thing' };
    const jobId = await addJob(queue, poison);
    const dead = () => board.job('dead-letter', 'failed', ({ data }) => data['job_id'] === jobId);

    const { id, name, data, failedReason, stacktrace } = await dead();

    expect(name).toBe('any');
    expect(data).toMatchObject({ queue, job_name: 'any', job_data: poison, attempts: 1 });
    expect(failedReason).toMatch(/^The job's data is invalid: it must have /);
    expect([data['reason'], stacktrace]).toEqual([failedReason, []]);
    await sweep(service);
    expect(await alertsOf(service, { kind: 'job_dead_lettered', subject: queue })).toMatchObject([
      { isOpen: true, count: 1 },
    ]);

    await board.retry('dead-letter', id);
    const again = await eventually('it failed again', async () => {
      const job = await dead();
      return job.id !== id && job;
    });
    expect((await board.jobs(queue, 'failed')).filter((job) => job.id === jobId)).toEqual([]);
    expectStatus(await operator.send('PUT', `/queues/api/queues/dead-letter/${again.id}/clean`), 204);
  });
});

test('while the queue is paused, the sweep dispatches events; the resumed queue sends the deliveries', async () => {
  receiver.respondWith(200);
  const { id: subscriptionId } = await subscribe(await anyPartner(service, [venue.id]), receiver.url, ['hold_created']);
  await pauseQueue('webhook-delivery');
  const { hold_id: holdId } = await placeHold(partner, slot());
  const delivery = await eventually('its delivery waits', async () =>
    (await rowsOf(service, 'deliveries', { subscriptionId })).at(0),
  );
  expect(delivery).toMatchObject({ state: 'pending', attempts: [] });
  await eventually('its event is stored', async () => (await rowsOf(service, 'events', { holdId })).at(0));
  const isSent = () => receiver.received.some(({ body }) => body['hold_id'] === holdId);
  expect(isSent()).toBe(false);
  await resumeQueue('webhook-delivery');
  await eventually('it is sent', isSent);
});
