import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { release } from '../conformance/steps.ts';
import { createClient } from '../support/client.ts';
import { collectionCallsOf } from '../support/collection-calls.ts';
import type * as Commands from '../support/commands.in-host.ts';
import { expectStatus, type Json, operatorOf, type Partner, placeHold } from '../support/factories.ts';
import { changeRow } from '../support/rows.ts';
import { startScene } from '../support/scene.ts';
import { monitoredUri } from '../support/service-environment.ts';
import { hostedService } from '../support/service-host.ts';
import { errorOf, verdict } from '../support/verdict.ts';

const NOT_AVAILABLE = '409 SLOT_NOT_AVAILABLE';

// No worker runs here, so only calls expire holds. The lease is longer than any call.
const overrides = { MONGODB_URI: monitoredUri(), CACHE_LEASE_MS: '10000' };
const service = await hostedService({ overrides });
/** Another process on the same database. */
const otherProcess = await hostedService({ overrides });
afterAll(async () => {
  await otherProcess.stop({ keepsDatabase: true });
  await service.stop();
});
const calls = collectionCallsOf(service);
const { takeCommands, watchCommands } = service.inHost<typeof Commands>('test/support/commands.in-host.ts');
await watchCommands();
const { partner: seller, rival, slot } = await startScene(service);
/** The seller, calling the other process. */
const viaOtherProcess: Partner = { ...seller, api: createClient(otherProcess.url, seller.apiKey) };
/** Before each test, the seller placed a hold through the other process, and the rival was just rejected. */
let slotId: string;
let held: Json;
beforeEach(async () => {
  slotId = slot();
  held = await placeHold(viaOtherProcess, slotId, { idempotency_key: slotId });
  expectStatus(await hold(rival), 409);
});

const hold = ({ api }: Partner, fields: Json = {}) => api.post('/api/v1/partner/holds', { slot_id: slotId, ...fields });
const free = async () => expectStatus(await release(viaOtherProcess, held['hold_id']), 200);

describe('a slot that was just lost', () => {
  test('is lost again without a write, with an equal conflict', async () => {
    const conflict = errorOf(await hold(rival)).conflict;
    expect(conflict).toMatchObject({ reason: 'held', free_at: held['hold_expiry_at'] });
    // Only its own partner gets the hold's id.
    expect(conflict).not.toHaveProperty('hold_id');
    await takeCommands();
    expect(verdict(await hold(rival))).toBe(NOT_AVAILABLE);
    expect(await takeCommands()).not.toContain('update reservations');
    expect(errorOf(await hold(seller)).conflict).toMatchObject({ hold_id: held['hold_id'] });
  });

  test('can be held once it is free, however it was freed', async () => {
    await free();
    const rivalHold = expectStatus(await hold(rival), 201);
    expect(verdict(await hold(seller))).toBe(NOT_AVAILABLE);
    expectStatus(await release(rival, rivalHold['hold_id']), 200);
    // No call has lost the slot since it became free, so it needs no extra reads.
    await placeHold(seller, slotId);
  });

  test('can be held if it is freed between the call and the read', async () => {
    const reply = await calls.beforeNext('reservations.aggregate', free, () => hold(rival));
    expect(verdict(reply)).toBe('201');
  });

  test('is lost to a hold placed between the read and the insert', async () => {
    await free();
    const take = () => placeHold(viaOtherProcess, slotId);
    const reply = await calls.beforeNext('reservations.bulkWrite', take, () => hold(rival));
    expect(verdict(reply)).toBe(NOT_AVAILABLE);
  });

  test('is free as soon as the hold expires, before a worker ends it', async () => {
    await changeRow(service, 'reservations', held['hold_id'], [{ $set: { holdExpiresAt: '$$NOW' } }]);
    expect(verdict(await hold(rival))).toBe('201');
    expect(verdict(await hold(seller))).toBe(NOT_AVAILABLE);
  });

  test('returns the original hold for its idempotency key, also after another hold', async () => {
    const repeat = () => hold(seller, { idempotency_key: slotId });
    expect(expectStatus(await repeat(), 201)['hold_id']).toBe(held['hold_id']);
    await free();
    expectStatus(await hold(rival), 201);
    expect(verdict(await hold(seller))).toBe(NOT_AVAILABLE);
    expect(expectStatus(await repeat(), 201)['hold_id']).toBe(held['hold_id']);
  });

  test('is sold at the venue despite a hold placed between the read and the sale', async () => {
    await free();
    const sell = () => operatorOf(service).post('/api/v1/operator/walk-ins', { slot_id: slotId, override_holds: true });
    const reply = await calls.beforeNext('venues.findOneAndUpdate', () => placeHold(viaOtherProcess, slotId), sell);
    expect(verdict(reply)).toBe('201');
    expect(errorOf(await hold(rival)).conflict).toEqual({ reason: 'booked', alternatives: expect.any(Array) });
  });
});
