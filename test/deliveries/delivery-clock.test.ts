import { afterAll, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { placeHold, subscribe } from '../support/factories.ts';
import { startReceiver } from '../support/receiver.ts';
import { rowOf } from '../support/rows.ts';
import { isLongTier, scaled } from '../support/scale.ts';
import { startScene } from '../support/scene.ts';
import { hostedService } from '../support/service-host.ts';

/** The contract's delays in seconds. This test divides them by `FACTOR`. */
const CONTRACT_DELAYS = [300, 900, 1800, 3600];
const FACTOR = scaled(1000, 5000);
/**
 * Time that queue, worker and connection may add to a delay. Checked in the long tier only, where no other test runs.
 */
const TOLERANCE_MS = 750;

const delays = CONTRACT_DELAYS.map((seconds) => seconds / FACTOR).join(',');
const service = await hostedService({ overrides: { WEBHOOK_RETRY_DELAYS_SECONDS: delays }, hasWorkers: true });
const receiver = await startReceiver(500);
afterAll(async () => {
  await service.stop();
  await receiver.close();
});

test(`with the clock compressed ${FACTOR} times, five attempts run after their delays, then a dead letter follows`, async () => {
  const { partner, slot } = await startScene(service);
  await subscribe(partner, receiver.url, ['hold_created']);

  await placeHold(partner, slot());

  await eventually('five attempts', () => receiver.received.length === 5);
  const row = await eventually('the dead letter', async () => {
    const found = await rowOf(service, 'deliveries', {});
    return found.state === 'dead_letter' && found;
  });
  const { received } = receiver;
  const gapsMs = received.slice(1).map(({ atMs }, index) => atMs - (received[index]?.atMs ?? 0));
  process.stdout.write(
    `clock compressed by ${FACTOR}: ${CONTRACT_DELAYS.map((seconds, index) => `${seconds} s → ${Math.round(gapsMs[index] ?? 0)} ms`).join(', ')}\n`,
  );
  for (const [index, seconds] of CONTRACT_DELAYS.entries()) {
    const delayMs = (seconds * 1000) / FACTOR;
    expect(gapsMs[index]).toBeGreaterThanOrEqual(delayMs);
    if (isLongTier) expect(gapsMs[index]).toBeLessThanOrEqual(delayMs + TOLERANCE_MS);
  }
  expect(row.attempts.map(({ deliveryId }) => deliveryId)).toEqual(received.map(({ body }) => body['delivery_id']));
});
