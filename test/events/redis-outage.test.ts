import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import type { Json, Partner } from '../support/factories.ts';
import {
  anyPartner,
  anyVenue,
  confirmBody,
  expectStatus,
  freeSlotIds,
  subscribe,
} from '../support/factories.ts';
import type { OwnRedis } from '../support/own-servers.ts';
import { ownRedis } from '../support/own-servers.ts';
import type { WebhookReceiver } from '../support/receiver.ts';
import { startReceiver } from '../support/receiver.ts';
import { rowsOf } from '../support/rows.ts';
import type { Service } from '../support/service.ts';
import { startService } from '../support/service.ts';
import { endProcesses, START_DEADLINE_MS, startProcess } from '../support/worker-process.ts';

const ANSWER_WITHIN_MS = 500;

let redis: OwnRedis;
let service: Service;
let receiver: WebhookReceiver;
let partner: Partner;
let slotIds: string[];
beforeAll(async () => {
  redis = await ownRedis();
  await redis.start();
  service = await startService({ REDIS_URL: redis.uri, HOLD_TTL_SECONDS: '3' });
  receiver = await startReceiver();
  for (const name of ['hold-expiry', 'event-dispatch', 'webhook-delivery']) {
    startProcess(`workers/${name}.ts`, service.environment);
  }
  const venue = await anyVenue(service);
  partner = await anyPartner(service, [venue.id]);
  await subscribe(partner, receiver.url);
  slotIds = await freeSlotIds(partner, venue.id);
});
afterAll(async () => {
  await endProcesses();
  await receiver.close();
  await service.stop();
  await redis.discard();
});

/** Calls that must succeed, each with how long it took. */
async function timed(calls: { name: string; durationMs: number }[], name: string, path: string, body: Json) {
  const beganAt = performance.now();
  const reply = await partner.api.post(path, body);
  calls.push({ name, durationMs: performance.now() - beganAt });
  return expectStatus(reply, name === 'cancel' ? 200 : 201);
}

async function bookAndCancel(): Promise<{ calls: { name: string; durationMs: number }[]; holdId: unknown }> {
  const calls: { name: string; durationMs: number }[] = [];
  const { hold_id } = await timed(calls, 'hold', '/api/v1/partner/holds', { slot_id: slotIds.pop() });
  const { booking_id } = await timed(calls, 'confirm', '/api/v1/bookings/confirm', confirmBody(hold_id));
  const path = `/api/v1/bookings/${String(booking_id)}/cancel`;
  await timed(calls, 'cancel', path, { reason: 'rain', idempotency_key: `cancel-${String(hold_id)}` });
  return { calls, holdId: hold_id };
}

const heardOf = (holdId: unknown): string[] => [
  ...new Set(
    receiver.received
      .filter(({ body }) => body['hold_id'] === holdId)
      .map(({ body }) => String(body['event_type'])),
  ),
];

test.each<{ outage: string; begin: () => Promise<void>; end: () => Promise<void> }>([
  {
    outage: 'frozen, its connections open',
    begin: () => redis.signal('SIGSTOP'),
    end: () => redis.signal('SIGCONT'),
  },
  {
    outage: 'killed, and back without its data',
    begin: () => redis.signal('SIGKILL'),
    end: () => redis.start(),
  },
])(
  'with Redis $outage: calls answer within 500 ms, and afterwards expiry and events arrive by themselves',
  async ({ begin, end }) => {
    const warm = await bookAndCancel();
    await eventually('the workers work', () => heardOf(warm.holdId).length === 3, START_DEADLINE_MS);

    await begin();
    const { calls, holdId } = await bookAndCancel();
    const { hold_id: lapsing } = expectStatus(
      await partner.api.post('/api/v1/partner/holds', { slot_id: slotIds.pop() }),
      201,
    );
    await expect(pingRedis()).resolves.toBe('no answer');
    const heardMeanwhile = [...heardOf(holdId), ...heardOf(lapsing)];
    await end();

    expect(heardMeanwhile).toEqual([]);
    expect(calls.map(({ name }) => name)).toEqual(['hold', 'confirm', 'cancel']);
    for (const { durationMs } of calls) expect(durationMs).toBeLessThan(ANSWER_WITHIN_MS);
    await eventually(
      'every event arrives',
      () => heardOf(holdId).length === 3 && heardOf(lapsing).length === 2,
      30_000,
    );
    expect(heardOf(holdId).toSorted()).toEqual(['booking_cancelled', 'booking_created', 'hold_created']);
    expect(heardOf(lapsing).toSorted()).toEqual(['hold_created', 'hold_expired']);
    const rows = await rowsOf(service, 'reservations', { _id: lapsing });
    expect(rows.map(({ status }) => status)).toEqual(['EXPIRED']);
  },
);

/** Whether Redis answers anyone at all now. */
async function pingRedis(): Promise<string> {
  const client = service.context.queues.byName('hold-expiry');
  const answer = client.getJobCounts().then(
    () => 'answers',
    () => 'no answer',
  );
  const late = new Promise<string>((resolve) => {
    setTimeout(resolve, 300, 'no answer');
  });
  return Promise.race([answer, late]);
}
