import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { AttemptResult } from '../../src/deliveries/deliver-webhook.service.ts';
import { deliveryCollection } from '../../src/deliveries/deliveries.model.ts';
import { cancelDelivery, cancelWaiting } from '../../src/deliveries/delivery-series.store.ts';
import type { SendOutcome } from '../../src/sender/collect-response.ts';
import { anyDelivery } from '../support/deliveries.ts';
import type { DeliveryScene } from '../support/delivery-scene.ts';
import { endDeliveryScene, startDeliveryScene } from '../support/delivery-scene.ts';
import type { Partner } from '../support/factories.ts';
import { anyPartner, dateIn, expectStatus, subscribe } from '../support/factories.ts';
import { rowOf } from '../support/rows.ts';
import { attemptDelivery } from '../support/service-calls.ts';

const OBSERVED = '/api/v1/partner/observability/deliveries';
const FAILED = { ok: false, statusCode: 500, error: 'http_error', durationMs: 9, responseExcerpt: null };
const SUCCEEDED = { ok: true, statusCode: 200, error: null, durationMs: 9, responseExcerpt: null };
const OUTCOMES = [FAILED, SUCCEEDED] as SendOutcome[];

let { service, sender, receiver, venue, slots } = {} as DeliveryScene;
let partner: Partner;
let subscriptionId: string;
beforeAll(async () => {
  ({ service, sender, receiver, venue, slots } = await startDeliveryScene(
    [{ duration_minutes: 15 }],
    dateIn(3),
  ));
});
afterAll(() => endDeliveryScene({ service, sender, receiver }));
beforeEach(async () => {
  receiver.respondWith(200);
  partner = await anyPartner(service, [venue.id]);
  ({ id: subscriptionId } = await subscribe(partner, receiver.url, ['hold_created']));
});

const read = (id: string) => rowOf(service, 'deliveries', { _id: id });
const waiting = () => anyDelivery(service, partner, partner, slots.shift() ?? '');

async function deadLetter(): Promise<string> {
  const id = await waiting();
  receiver.respondWith(500);
  await attemptDelivery(service, sender, id, 5);
  receiver.respondWith(200);
  return id;
}

type FrozenAttempt = { wake(outcome: SendOutcome): Promise<AttemptResult | undefined> };

/** An attempt of which the worker was frozen while it sent, for longer than its lease. */
async function freezeAttempt(id: string): Promise<FrozenAttempt> {
  let answer: (outcome: SendOutcome) => void = () => undefined;
  let result: Promise<AttemptResult | undefined> = Promise.resolve(undefined);
  await new Promise<void>((resolve) => {
    const send = () =>
      new Promise<SendOutcome>((settle) => {
        answer = settle;
        resolve();
      });
    result = attemptDelivery(service, { send }, id);
  });
  await deliveryCollection(service.context.db).updateOne(
    { _id: id },
    { $set: { leaseUntil: new Date(Date.now() - 1000) } },
  );
  return {
    wake: (outcome) => {
      answer(outcome);
      return result;
    },
  };
}

describe('what comes of the attempt of a frozen worker that wakes up', () => {
  test.each(OUTCOMES)('changes nothing of a redelivery accepted meanwhile ($error)', async (outcome) => {
    const id = await deadLetter();
    const frozen = await freezeAttempt(id);
    expectStatus(await partner.api.post(`${OBSERVED}/${id}/redeliver`), 202);

    expect(await frozen.wake(outcome)).toMatchObject({ kind: 'later' });

    expect(await read(id)).toMatchObject({ state: 'pending', generation: 2, attemptsMade: 0 });
    await attemptDelivery(service, sender, id);
    expect(await read(id)).toMatchObject({ state: 'succeeded', generation: 2, attemptsMade: 1 });
    const { eventId } = await read(id);
    expect(receiver.received.at(-1)?.body).toMatchObject({ event_id: eventId });
  });

  test.each(OUTCOMES)(
    'changes nothing of a cancelled delivery recovered meanwhile ($error)',
    async (outcome) => {
      const id = await waiting();
      const frozen = await freezeAttempt(id);
      await cancelWaiting(service.context.db, partner.id, subscriptionId);
      expect(await read(id)).toMatchObject({ state: 'cancelled' });
      const since = new Date(Date.now() - 60_000).toISOString();
      const recovery = await partner.api.post(`/api/v1/partner/webhooks/${subscriptionId}/recover`, {
        since,
      });
      expectStatus(recovery, 202);

      expect(await frozen.wake(outcome)).toMatchObject({ kind: 'later' });

      expect(await read(id)).toMatchObject({ state: 'pending', generation: 2, attemptsMade: 0 });
    },
  );

  test('counts where the delivery is still in the same series', async () => {
    const id = await deadLetter();
    const frozen = await freezeAttempt(id);

    expect(await frozen.wake(SUCCEEDED as SendOutcome)).toEqual({ kind: 'done' });

    expect(await read(id)).toMatchObject({ state: 'succeeded', generation: 1 });
  });
});

test('a worker that found an earlier series to be cancelled cancels no later one', async () => {
  const id = await deadLetter();
  const asFound = await read(id);
  expectStatus(await partner.api.post(`${OBSERVED}/${id}/redeliver`), 202);
  await cancelDelivery(service.context.db, asFound);
  expect((await read(id)).state).toBe('pending');
  await cancelDelivery(service.context.db, await read(id));
  expect((await read(id)).state).toBe('cancelled');
});
