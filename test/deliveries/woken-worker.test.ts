import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { SendOutcome } from '../../src/webhooks/sender/collect-response.ts';
import { startDeliveryScene } from '../support/delivery-scene.ts';
import { anyPartner, expectStatus, type Partner, subscribe } from '../support/factories.ts';
import { changeRow } from '../support/rows.ts';
import { sharedService } from '../support/service-host.ts';
import type * as InHost from './deliveries.in-host.ts';

const OBSERVED = '/api/v1/partner/observability/deliveries';
const SUCCEEDED: SendOutcome = {
  ok: true,
  statusCode: 200,
  error: null,
  errorDetail: null,
  redirectTo: null,
  durationMs: 9,
  responseExcerpt: null,
};
const FAILED: SendOutcome = { ...SUCCEEDED, ok: false, statusCode: 500, error: 'http_status' };
const OUTCOMES = [FAILED, SUCCEEDED];

const service = sharedService();
const { receiver, venue, freezeAttempt, wakeAttempt, end, read, failed, waiting } = await startDeliveryScene(service);
const { cancelSeries } = service.inHost<typeof InHost>('test/deliveries/deliveries.in-host.ts');
let partner: Partner;
let subscriptionId: string;
afterAll(end);
beforeEach(async () => {
  receiver.respondWith(200);
  partner = await anyPartner(service, [venue.id]);
  ({ id: subscriptionId } = await subscribe(partner, receiver.url, ['hold_created']));
});

/** Begins an attempt whose worker freezes while sending, until its lock has expired. */
async function freeze(id: string): Promise<void> {
  await freezeAttempt(id);
  await changeRow(service, 'deliveries', id, { $set: { leaseUntil: new Date(Date.now() - 1000) } });
}

describe('the result of an attempt by a frozen worker', () => {
  test.each(OUTCOMES)('does not change a delivery that was redelivered meanwhile ($error)', async (outcome) => {
    const id = await failed(partner, 5);
    await freeze(id);
    expectStatus(await partner.api.post(`${OBSERVED}/${id}/redeliver`), 202);

    expect(await wakeAttempt(id, outcome)).toMatchObject({ kind: 'later' });

    expect(await read(id)).toMatchObject({ state: 'pending', generation: 2, attemptsMade: 0 });
    await service.attempt(id);
    expect(await read(id)).toMatchObject({ state: 'succeeded', generation: 2, attemptsMade: 1 });
    const { eventId } = await read(id);
    expect(receiver.received.at(-1)?.body).toMatchObject({ event_id: eventId });
  });

  test.each(OUTCOMES)(
    'does not change a delivery that was cancelled and recovered meanwhile ($error)',
    async (outcome) => {
      const id = await waiting(partner);
      await freeze(id);
      const cancelled = { state: 'cancelled', nextAttemptAt: null, leaseUntil: null };
      await changeRow(service, 'deliveries', id, { $set: cancelled });
      const since = new Date(Date.now() - 60_000).toISOString();
      const recovery = await partner.api.post(`/api/v1/partner/webhooks/${subscriptionId}/recover`, { since });
      expectStatus(recovery, 202);

      expect(await wakeAttempt(id, outcome)).toMatchObject({ kind: 'later' });

      expect(await read(id)).toMatchObject({ state: 'pending', generation: 2, attemptsMade: 0 });
    },
  );

  test('counts if the delivery is still in the same series', async () => {
    const id = await failed(partner, 5);
    await freeze(id);

    expect(await wakeAttempt(id, SUCCEEDED)).toMatchObject({ kind: 'delivered' });

    expect(await read(id)).toMatchObject({ state: 'succeeded', generation: 1 });
  });
});

test('a worker that cancels an earlier series does not cancel a later one', async () => {
  const id = await failed(partner, 5);
  const before = await read(id);
  expectStatus(await partner.api.post(`${OBSERVED}/${id}/redeliver`), 202);
  await cancelSeries(before._id, before.generation);
  expect((await read(id)).state).toBe('pending');
  await cancelSeries(id, 2);
  expect((await read(id)).state).toBe('cancelled');
});
