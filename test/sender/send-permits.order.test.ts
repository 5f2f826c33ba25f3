import { expect, test } from '@jest/globals';
import type { SendPermit } from '../../src/sender/send-permits.ts';
import { createSendPermits } from '../../src/sender/send-permits.ts';
import type { Random } from '../support/random.ts';
import { integerBetween, mulberry32, pick, propertySeed } from '../support/random.ts';

const LIMIT = 12;
const [ENDPOINT_LIMIT, PARTNER_LIMIT] = [LIMIT / 4, LIMIT / 2];
const STEPS = 3000;

type Delivery = { id: number; partner: string; endpoint: string };

/** Who has a permit and who waits, found by a walk over all that wait, in the order in which they came. */
function createModel() {
  const granted = new Set<Delivery>();
  const waiting = new Set<Delivery>();
  const count = (field: 'endpoint' | 'partner', of: Delivery) =>
    [...granted].filter((each) => each[field] === of[field]).length;
  const walk = () => {
    for (const each of waiting) {
      const hasRoom = count('endpoint', each) < ENDPOINT_LIMIT && count('partner', each) < PARTNER_LIMIT;
      if (granted.size >= LIMIT || !hasRoom) continue;
      waiting.delete(each);
      granted.add(each);
    }
  };
  const after = (change: () => unknown) => {
    change();
    walk();
  };
  return {
    granted,
    waiting,
    come: (each: Delivery) => after(() => waiting.add(each)),
    leave: (each: Delivery) => after(() => granted.delete(each)),
    giveUp: (each: Delivery) => after(() => waiting.delete(each)),
  };
}

const anyDelivery = (random: Random, id: number): Delivery => {
  const partner = `p${integerBetween(random, 1, 4)}`;
  return { id, partner, endpoint: `${partner}/${integerBetween(random, 1, 3)}` };
};

const settled = () => new Promise((resolve) => setImmediate(resolve));
const idsOf = (deliveries: Iterable<Delivery>) => [...deliveries].map(({ id }) => id).sort((a, b) => a - b);

test('who is let go is who a walk over all that wait, first come, first served, would let go', async () => {
  const random = mulberry32(propertySeed());
  const permits = createSendPermits(LIMIT, 2);
  const model = createModel();
  const held = new Map<Delivery, SendPermit>();
  const stops = new Map<Delivery, AbortController>();
  let longestQueue = 0;
  for (let step = 0; step < STEPS; step += 1) {
    // More come than leave for a while, and then more leave.
    const coming = Math.floor(step / 200) % 2 === 0 ? 0.7 : 0.3;
    const isComing = random() < coming || held.size === 0;
    if (isComing) {
      const delivery = anyDelivery(random, step);
      const stop = new AbortController();
      stops.set(delivery, stop);
      const { endpoint: subscriptionId, partner: partnerId } = delivery;
      void permits.acquire({ subscriptionId, partnerId }, stop.signal).then((permit) => {
        if (permit !== null) held.set(delivery, permit);
      });
      model.come(delivery);
    } else if (random() < 0.2 && model.waiting.size > 0) {
      const delivery = pick(random, [...model.waiting]);
      stops.get(delivery)?.abort();
      model.giveUp(delivery);
    } else {
      const delivery = pick(random, [...held.keys()]);
      held.get(delivery)?.release();
      held.delete(delivery);
      model.leave(delivery);
    }
    await settled();
    longestQueue = Math.max(longestQueue, model.waiting.size);
    expect({ step, held: idsOf(held.keys()) }).toEqual({ step, held: idsOf(model.granted) });
  }
  expect(longestQueue).toBeGreaterThan(50);
});
