import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { restoreDeadLetterQueue } from '../../src/webhooks/deliveries.service.ts';
import { eventually } from '../support/eventually.ts';
import type { Json } from '../support/factories.ts';
import { anyPartner, anyVenue, bookSlot, freeSlotIds, placeHold, subscribe } from '../support/factories.ts';
import type { OwnRedis } from '../support/own-servers.ts';
import { ownRedis } from '../support/own-servers.ts';
import type { WebhookReceiver } from '../support/receiver.ts';
import { startReceiver } from '../support/receiver.ts';
import { rowsOf } from '../support/rows.ts';
import type { Service } from '../support/service.ts';
import { startService } from '../support/service.ts';
import { endProcesses, startProcess } from '../support/worker-process.ts';

const HOLDS = 20;
const HOLD_TTL_SECONDS = 4;
/** How late a hold may end when its job is lost (decisions §3: the slot is free at once in any case). */
const ENDS_WITHIN_MS = 15_000;

let redis: OwnRedis;
let service: Service;
/** Fails until Redis has been emptied, so that deliveries wait for a retry then. */
let recovering: WebhookReceiver;
/** Fails for good. */
let failing: WebhookReceiver;
let holds: Json[];

beforeAll(async () => {
  redis = await ownRedis();
  await redis.start();
  service = await startService({
    REDIS_URL: redis.uri,
    HOLD_TTL_SECONDS: String(HOLD_TTL_SECONDS),
    WEBHOOK_RETRY_DELAYS_SECONDS: '3,3',
  });
  recovering = await startReceiver(500);
  failing = await startReceiver(500);
  for (const name of ['hold-expiry', 'event-dispatch', 'webhook-delivery']) {
    startProcess(`workers/${name}.ts`, service.environment);
  }
  const venue = await anyVenue(service, [{ duration_minutes: 30 }]);
  const partner = await anyPartner(service, [venue.id]);
  await subscribe(partner, failing.url, ['booking_created']);
  const [booked = '', ...others] = await freeSlotIds(partner, venue.id);
  await bookSlot(partner, booked);
  await eventually('the booking is a dead letter', async () => (await deadLetterJobs()).length === 1, 40_000);

  await subscribe(partner, recovering.url, ['hold_created', 'hold_expired']);
  holds = await Promise.all(others.slice(0, HOLDS).map((slotId) => placeHold(partner, slotId)));
  await eventually('deliveries wait for a retry', async () => {
    const rows = await rowsOf(service, 'deliveries', { state: 'retrying' });
    return rows.length >= HOLDS;
  });
  const client = new Redis(redis.uri);
  await client.flushall();
  client.disconnect();
  recovering.answerWith(200);
}, 90_000);
afterAll(async () => {
  await endProcesses();
  await Promise.all([recovering.close(), failing.close()]);
  await service.stop();
  await redis.discard();
});

async function deadLetterJobs(): Promise<unknown[]> {
  const jobs = await service.context.queues.byName('webhook-dead-letter').getJobs();
  return jobs.map((job) => job.data as unknown);
}

const heldIds = () => holds.map(({ hold_id }) => hold_id);

describe('after Redis has lost everything', () => {
  test('its dead-letter queue is restored from the rows, each dead letter once', async () => {
    const dead = await rowsOf(service, 'deliveries', { state: 'dead_letter' });
    expect(dead).toHaveLength(1);
    expect(await deadLetterJobs()).toEqual([]);

    await restoreDeadLetterQueue(service.context, 1000);
    await restoreDeadLetterQueue(service.context, 1000);

    expect(await deadLetterJobs()).toEqual(dead.map(({ _id }) => ({ deliveryId: _id })));
  });

  test(`every hold that waited ends within ${ENDS_WITHIN_MS / 1000} s of its expiry, once`, async () => {
    const ended = await eventually(
      'all are expired',
      async () => {
        const rows = await rowsOf(service, 'reservations', { _id: { $in: heldIds() } });
        return rows.every(({ status }) => status === 'EXPIRED') && rows;
      },
      40_000,
    );

    expect(ended).toHaveLength(HOLDS);
    const lateMs = ended.map((hold) => (hold.expiredAt?.getTime() ?? 0) - hold.holdExpiresAt.getTime());
    expect(Math.min(...lateMs)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...lateMs)).toBeLessThanOrEqual(ENDS_WITHIN_MS);
  });

  test('every event of those holds is delivered, once by its id', async () => {
    const wanted = { eventType: { $in: ['hold_created', 'hold_expired'] }, state: 'succeeded' };
    const deliveries = await eventually(
      'all are delivered',
      async () => {
        const rows = await rowsOf(service, 'deliveries', wanted);
        return rows.length === 2 * HOLDS && rows;
      },
      40_000,
    );

    const events = await rowsOf(service, 'events', { holdId: { $in: heldIds() } });
    expect(events).toHaveLength(2 * HOLDS);
    const delivered = new Set(deliveries.map(({ eventId }) => eventId));
    expect(events.filter(({ _id }) => !delivered.has(_id))).toEqual([]);
    const heard = new Set(recovering.received.map(({ body }) => body['event_id']));
    expect(events.filter(({ _id }) => !heard.has(_id))).toEqual([]);
  });
});
