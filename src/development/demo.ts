/** `npm run demo`: a partner's whole story against the running service, each step checked. Exit code 0: every check passed. */

import { cancel, confirmTwice } from './demo/booking-steps.ts';
import { failFiveTimes, showDeadLetter } from './demo/dead-letter-steps.ts';
import { findSystem } from './demo/find-system.ts';
import { letExpire, placeTwoHolds } from './demo/hold-steps.ts';
import { importVenues } from './demo/import-step.ts';
import { provisionPartner } from './demo/provision.ts';
import { startReceiver } from './demo/receiver.ts';
import { createCleanup } from './demo/step-context.ts';
import { createTranscript } from './demo/transcript.ts';
import { showVenue } from './demo/venue-step.ts';
import { requireRefusals, requireWebhooks, subscribe } from './demo/webhook-steps.ts';

const write = (line: string): void => console.log(line);
const transcript = createTranscript(write, process.stdout.isTTY && !process.env['NO_COLOR']);
const cleanup = createCleanup();
let isEnding = false;

process.on('SIGINT', () => void end(130, 'Interrupted.'));
process.on('SIGTERM', () => void end(143, 'Asked to stop.'));
process.on('SIGHUP', () => void end(129));
// A reader that has seen enough, such as `head`, is no reason to leave anything behind.
process.stdout.on('error', () => void end(1));

try {
  await tellStory();
  const seconds = performance.now() / 1000;
  await end(0, `All ${transcript.passedCount()} checks passed, in ${seconds.toFixed(1)} s.`);
} catch (error) {
  if (!isEnding) transcript.failed(error instanceof Error ? error.message : String(error));
  await end(1, 'The demo stopped at the step marked ✗.');
}

async function tellStory(): Promise<void> {
  transcript.step('The service');
  const system = await findSystem(process.env, cleanup, transcript);

  transcript.step('The operator imports venues from a file');
  await importVenues(system, transcript);

  transcript.step('The operator creates a partner, a key and a grant');
  const { partnerId, venueId, api, retire } = await provisionPartner(system, transcript, cleanup);
  const receiver = await startReceiver();
  cleanup.add(receiver.close);
  const context = { partner: api, partnerId, transcript, cleanup, receiver };

  transcript.step('The partner subscribes its receiver to webhooks');
  const subscription = await subscribe(context, '/webhooks', 204);
  const failing = await subscribe(context, '/failing', 500, ['booking_cancelled']);

  transcript.step('Venues and resources');
  const venue = await showVenue(context, venueId);

  transcript.step('Availability, and two holds');
  const [kept, left] = await placeTwoHolds(context, venue);

  transcript.step('Confirm the first hold, and replay the confirm');
  const booking = await confirmTwice(context, venue, kept);

  transcript.step('Let the second hold expire');
  await letExpire(context, venue, left);

  transcript.step('Cancel the booking');
  await cancel(context, venue, booking);

  transcript.step('The webhooks of these changes, as received');
  const [genuine] = await requireWebhooks(context, subscription, booking, left);

  transcript.step('What a receiver must reject');
  if (genuine !== undefined) await requireRefusals(context, subscription, genuine);

  transcript.step('An endpoint that fails until the dead letter');
  const deadLetterId = await failFiveTimes(context, failing, booking);

  transcript.step('The dead letter, as the partner sees it');
  await showDeadLetter(context, failing, booking, deadLetterId);

  transcript.step('The operator suspends the partner of this run');
  await retire();
}

/** Undoes everything first; the first call decides the exit code. */
async function end(exitCode: number, sentence = ''): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  await cleanup.run();
  if (sentence !== '') write(`\n${sentence}`);
  process.exit(exitCode);
}
