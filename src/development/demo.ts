/**
 * `npm run demo`: a partner's whole story against the running service, every step checked. Exit code 0 if all passed.
 */

import { onStopSignal } from '../platform/stop-signals.ts';
import { createCleanup } from './cleanup.ts';
import { bookOnce, cancelBooking, holdOnce, letExpire } from './demo/selling.ts';
import { createPartner, findSystem, importVenues } from './demo/setup.ts';
import { createTranscript } from './demo/transcript.ts';
import { redeliver, rejectForgeries, requireWebhooks, retryUntilDead, subscribe } from './demo/webhooks.ts';

const transcript = createTranscript();
const cleanup = createCleanup();
let isEnding = false;

onStopSignal((signal) => void end(130, `Interrupted (${signal}).`));
// Clean up too if a reader such as `head` closes.
process.stdout.on('error', () => void end(1));

try {
  await tellStory();
  const seconds = (performance.now() / 1000).toFixed(1);
  await end(0, `All ${transcript.passedCount()} checks passed, in ${seconds} s.`);
} catch (error) {
  if (!isEnding) transcript.failed(error instanceof Error ? error.message : String(error));
  await end(1, 'The demo stopped at the step marked ✗.');
}

async function tellStory(): Promise<void> {
  const { step } = transcript;
  step('The service');
  const system = await findSystem(process.env, cleanup, transcript);

  step('The operator imports venues from a file');
  await importVenues(system, transcript);

  step('The operator creates a partner, a key and a grant');
  const { suspend, ...seller } = await createPartner(system, transcript, cleanup);

  step('The partner subscribes two endpoints; the second one fails');
  const endpoints = await subscribe(seller, cleanup);

  step('A hold, and a conflict');
  const hold = await holdOnce(seller);

  step('Confirm the hold, and replay the confirm');
  const bookingId = await bookOnce(seller, hold);

  step('Let another hold expire');
  const expired = await letExpire(seller);

  step('Cancel the booking');
  await cancelBooking(seller, hold, bookingId);

  step('The webhooks of these changes, as received');
  await requireWebhooks(endpoints, transcript, hold, expired);

  step('What a receiver must reject');
  await rejectForgeries(endpoints, transcript);

  step('The second endpoint fails until the dead letter');
  const deadLetterId = await retryUntilDead(seller, endpoints);

  step('The endpoint is repaired, and the dead letter redelivered');
  await redeliver(seller, endpoints, deadLetterId);

  step('The operator suspends the partner of this run');
  await suspend();
}

/** Cleans up, then exits. Only the first call has an effect. */
async function end(exitCode: number, sentence = ''): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  await cleanup.run();
  if (sentence !== '') console.log(`\n${sentence}`);
  process.exit(exitCode);
}
