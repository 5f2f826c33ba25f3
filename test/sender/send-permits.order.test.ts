import { expect, test } from '@jest/globals';
import { createSendPermits, type SendPermit } from '../../src/webhooks/sender/send-permits.ts';
import { integerBetween, mulberry32, pick, propertySeed } from '../support/random.ts';

const LIMIT = 12;
const [ENDPOINT_LIMIT, PARTNER_LIMIT] = [LIMIT / 4, LIMIT / 2];
const STEPS = 3000;

type Delivery = { id: number; partnerId: string; subscriptionId: string };

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('no endpoint or partner exceeds its share, no permit stays idle while a delivery may use it, and each endpoint is served in order', async () => {
  const random = mulberry32(propertySeed());
  const permits = createSendPermits(LIMIT, 2);
  const held = new Map<Delivery, SendPermit>();
  const waiting = new Map<Delivery, AbortController>();
  const countHeld = (field: 'partnerId' | 'subscriptionId', value: string) =>
    [...held.keys()].filter((each) => each[field] === value).length;
  const hasRoom = ({ partnerId, subscriptionId }: Delivery) =>
    countHeld('subscriptionId', subscriptionId) < ENDPOINT_LIMIT && countHeld('partnerId', partnerId) < PARTNER_LIMIT;
  let longestQueue = 0;
  for (let step = 0; step < STEPS; step += 1) {
    // Phases with more arrivals than departures alternate with the opposite.
    const arrivalShare = Math.floor(step / 200) % 2 === 0 ? 0.7 : 0.3;
    if (random() < arrivalShare || held.size === 0) {
      const partnerId = `p${integerBetween(random, 1, 4)}`;
      const subscriptionId = `${partnerId}/${integerBetween(random, 1, 3)}`;
      const delivery = { id: step, partnerId, subscriptionId };
      const stop = new AbortController();
      waiting.set(delivery, stop);
      void permits.acquire(delivery, stop.signal).then((permit) => {
        waiting.delete(delivery);
        if (permit === null) return;
        const earlier = [...waiting.keys()].find((each) => each.subscriptionId === subscriptionId);
        expect(earlier?.id ?? step).toBeGreaterThanOrEqual(delivery.id);
        held.set(delivery, permit);
      });
    } else if (random() < 0.2 && waiting.size > 0) {
      waiting.get(pick(random, [...waiting.keys()]))?.abort();
    } else {
      const delivery = pick(random, [...held.keys()]);
      held.get(delivery)?.release();
      held.delete(delivery);
    }
    await settled();
    longestQueue = Math.max(longestQueue, waiting.size);
    const over = [...held.keys()].filter(
      ({ partnerId, subscriptionId }) =>
        countHeld('subscriptionId', subscriptionId) > ENDPOINT_LIMIT ||
        countHeld('partnerId', partnerId) > PARTNER_LIMIT,
    );
    const idle = held.size < LIMIT ? [...waiting.keys()].filter(hasRoom) : [];
    expect({ step, isOver: held.size > LIMIT, over, idle }).toEqual({
      step,
      isOver: false,
      over: [],
      idle: [],
    });
  }
  expect(longestQueue).toBeGreaterThan(50);
});

test('endpoints with waiting deliveries take turns, however many wait for one', async () => {
  const permits = createSendPermits(1, 2);
  const never = new AbortController().signal;
  const order: string[] = [];
  const sends = ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'].map(async (name) => {
    const [endpoint = ''] = name;
    const permit = await permits.acquire({ subscriptionId: endpoint, partnerId: endpoint }, never);
    order.push(name);
    await settled();
    permit?.release();
  });
  await Promise.all(sends);
  expect(order).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
});
