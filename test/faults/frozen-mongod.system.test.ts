import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { confirmBody, operatorOf, type Partner, placeHold } from '../support/factories.ts';
import { startServiceOnOwnMongod } from '../support/fail-points.ts';
import { rowsOf } from '../support/rows.ts';
import { startScene } from '../support/scene.ts';
import type { Service } from '../support/service.ts';
import { verdict } from '../support/verdict.ts';
import { inSeconds } from './figures.ts';
import { report } from './report.ts';
import { timeCall } from './timed-calls.ts';

let service: Service;
let partner: Partner;
let slots: string[];
let pid = 0;
beforeAll(async () => {
  service = await startServiceOnOwnMongod();
  ({ partner, slots } = await startScene(service));
  const status = await service.context.db.getClient().db('admin').command({ serverStatus: 1 });
  pid = Number(status['pid']);
});
afterAll(async () => {
  process.kill(pid, 'SIGCONT');
  await service.stop();
});

/** More than the connections of the pool, so that some callers wait for one. */
const CALLERS = 80;
/** The driver notices after 7 s, then looks for another server for 2 s; the rest is for a busy machine. */
const BOUND_MS = 15_000;

test('while MongoDB is frozen, every call is 503 within 15 s; afterwards the same calls succeed', async () => {
  const [slotId = '', other = ''] = slots;
  const body = confirmBody((await placeHold(partner, slotId))['hold_id']);
  const confirm = () => partner.api.post('/api/v1/bookings/confirm', body);
  const hold = () => partner.api.post('/api/v1/partner/holds', { slot_id: other, idempotency_key: 'one' });
  const calls = [
    confirm,
    hold,
    () => partner.api.get('/api/v1/bookings'),
    () => operatorOf(service).post('/api/v1/operator/walk-ins', { slot_id: slots.at(-1) }),
  ];

  process.kill(pid, 'SIGSTOP');
  const first = await Promise.all(
    Array.from({ length: CALLERS }, (_, index) => timeCall(calls[index % calls.length] ?? hold).done),
  );
  const later = await Promise.all(calls.map((call) => timeCall(call).done));
  process.kill(pid, 'SIGCONT');
  const continuedAt = performance.now();

  expect(new Set([...first, ...later].map(({ outcome }) => outcome))).toEqual(new Set(['503 SERVICE_UNAVAILABLE']));
  const slowestMs = Math.max(...first.map(({ tookMs }) => tookMs));
  const laterMs = Math.max(...later.map(({ tookMs }) => tookMs));
  expect(slowestMs).toBeLessThan(BOUND_MS);

  const booked = await eventually('the confirm works', async () => {
    const reply = await confirm();
    return reply.status === 503 ? undefined : reply;
  });
  const backMs = performance.now() - continuedAt;
  expect([verdict(booked), verdict(await hold())]).toEqual(['201', '201']);
  const rows = await rowsOf(service, 'reservations', { slotId: { $in: [slotId, other] } });
  expect(rows.map(({ status, outbox }) => `${status}, ${outbox.length}`).sort()).toEqual(['ACTIVE, 1', 'BOOKED, 2']);
  report({
    promise: 5,
    experiment: 'SIGSTOP of MongoDB under load, then SIGCONT',
    count: `${first.length + later.length} calls, all 503`,
    result: `first calls got 503 after at most ${inSeconds(slowestMs)} s, later calls after ${inSeconds(laterMs)} s; sales resumed ${inSeconds(backMs)} s after SIGCONT, 0 changes made twice`,
  });
});
