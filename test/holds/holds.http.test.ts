import { afterAll, describe, expect, test } from '@jest/globals';
import { PLATFORM_PARTNER_ID } from '../../src/domain/change-origin.ts';
import { confirm, expire, HOLDS } from '../conformance/steps.ts';
import { expectStatus, type Json, json, operatorOf, placeHold } from '../support/factories.ts';
import { rowOf } from '../support/rows.ts';
import { startScene } from '../support/scene.ts';
import { sharedService } from '../support/service-host.ts';
import { errorOf, verdict } from '../support/verdict.ts';

const service = sharedService();
afterAll(() => service.stop());
const { partner, rival, slot } = await startScene(service, { resources: [{}, {}, {}] });

const newHold = () => placeHold(partner, slot());
const idOf = (hold: Json) => String(hold['hold_id']);
const eventsOf = async (hold: Json) => {
  const { outbox } = await rowOf(service, 'reservations', { _id: idOf(hold) });
  return outbox.map((event) => event.type);
};

describe('POST /api/v1/operator/holds/{holdId}/release', () => {
  const reason = 'The court is needed';
  const release = (holdId: string, body: Json = { reason }) =>
    operatorOf(service).post(`/api/v1/operator/holds/${holdId}/release`, body);

  test("releases any partner's hold in the name of the platform; confirming the hold then fails", async () => {
    const hold = await newHold();
    expect(verdict(await release(idOf(hold), {}))).toBe('400 VALIDATION_ERROR reason');
    expect(verdict(await release('none'))).toBe('404 HOLD_NOT_FOUND');
    const released = { ...hold, status: 'RELEASED', partner_id: partner.id, release_reason: reason };
    expect(expectStatus(await release(idOf(hold)), 200)).toEqual(released);
    const { outbox, releaseReason } = await rowOf(service, 'reservations', { _id: idOf(hold) });
    const byOperator = { originatorId: PLATFORM_PARTNER_ID, actor: { kind: 'operator' }, reason };
    expect(outbox.at(-1)).toMatchObject({ type: 'hold_cancelled', ...byOperator });
    expect(releaseReason).toBe(reason);
    const read = await partner.api.get(`${HOLDS}/${idOf(hold)}`);
    expect(expectStatus(read, 200)).toMatchObject({ status: 'RELEASED' });
    expect(read.text).not.toContain(reason);
    expect(verdict(await confirm(partner, idOf(hold)))).toBe('409 INVALID_HOLD_STATE');
    await placeHold(rival, String(hold['slot_id']));
    expect(expectStatus(await release(idOf(hold)), 200)).toEqual(released);
    expect(await eventsOf(hold)).toEqual(['hold_created', 'hold_cancelled']);
  });

  test.each([
    ['CONSUMED', confirm, '409 INVALID_HOLD_STATE'],
    ['EXPIRED', expire, '409 HOLD_EXPIRED'],
  ] as const)('of a hold that is %s is rejected and changes nothing', async (_state, end, answer) => {
    const hold = await newHold();
    const ended = json(await end(partner, idOf(hold)));
    const events = await eventsOf(hold);
    const rejected = await release(idOf(hold));
    expect([verdict(rejected), errorOf(rejected).booking_id]).toEqual([answer, ended['booking_id']]);
    expect(await eventsOf(hold)).toEqual(events);
  });
});

test('a hold expires when its slot ends at the latest, when placed, extended and replayed', async () => {
  const short = { duration_minutes: 5, operating_hours_start: '00:00', operating_hours_end: '00:00' };
  const scene = { resources: [short], venue: { time_zone: 'UTC' }, days: [0, 1] };
  const { partner: seller, slots } = await startScene(service, scene);
  // The first slot may begin before the call.
  const body = { slot_id: slots[1] ?? '', idempotency_key: 'to-its-end', ttl_seconds: 1800 };
  const placed = await seller.api.post(HOLDS, body);
  const hold = expectStatus(placed, 201);
  expect(hold['hold_expiry_at']).toBe(hold['slot_end']);
  const { outbox } = await rowOf(service, 'reservations', { _id: idOf(hold) });
  expect(outbox[0]?.holdExpiresAt?.toISOString()).toBe(hold['slot_end']);
  const extend = (each: Json) => seller.api.post(`${HOLDS}/${idOf(each)}/extend`, { ttl_seconds: 1800 });
  expect(expectStatus(await extend(hold), 200)).toEqual(hold);
  const shortHold = await placeHold(seller, slots[2] ?? '', { ttl_seconds: 60 });
  expect(expectStatus(await extend(shortHold), 200)['hold_expiry_at']).toBe(shortHold['slot_end']);
  expect((await seller.api.post(HOLDS, body)).text).toBe(placed.text);
});
