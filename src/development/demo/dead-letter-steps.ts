/** An endpoint that fails, through its five attempts into the dead letter. */

import { field, fieldText } from '../embedded/api-caller.ts';
import type { Booking } from './booking-steps.ts';
import { requireEqual, requireThat, until } from './expectations.ts';
import type { Delivery } from './receiver.ts';
import type { StepContext } from './step-context.ts';
import type { Subscription } from './webhook-steps.ts';

/** contract: webhooks/retry-delays */
const delaysSeconds = [300, 900, 1800, 3600];
const toleranceSeconds = 1;
const observability = '/api/v1/partner/observability';

/** The id of the delivery that ends as a dead letter. */
export async function failFiveTimes(
  context: StepContext,
  subscription: Subscription,
  booking: Booking,
): Promise<string> {
  const { partner, transcript } = context;
  transcript.note(
    'booking_cancelled goes to this second endpoint too, which responds with 500 to all. The service waits 300, 900, 1800 ' +
      'and 3600 s after the failures; each time the demo checks what is scheduled, then has the sandbox advance it.',
  );
  const id = await deliveryIdOf(context, subscription, booking);
  const attempts: Delivery[] = [];
  for (const [index, delaySeconds] of delaysSeconds.entries()) {
    const { attempt, state } = await afterAttempt(context, subscription, booking, id, index + 1);
    attempts.push(attempt);
    requireScheduled(context, attempt, state, delaySeconds);
    await partner.call('POST', `/api/v1/sandbox/deliveries/${id}/advance`);
  }
  const { attempt, state } = await afterAttempt(context, subscription, booking, id, delaysSeconds.length + 1);
  attempts.push(attempt);
  transcript.row(`attempt ${attempt.attempt}: 500, state ${fieldText(state, 'state')}`);
  requireEqual('state after the last failure', field(state, 'state'), 'dead_letter');
  requireEqual('next_attempt_at after the last failure', field(state, 'next_attempt_at'), null);

  for (const { attempt: number, refusal } of attempts)
    requireEqual(`why attempt ${number} is rejected`, refusal, undefined);
  const different = (of: (one: Delivery) => string): number => new Set(attempts.map(of)).size;
  requireEqual(
    'different event_ids',
    different((one) => one.read('event_id')),
    1,
  );
  requireEqual(
    'different delivery_ids',
    different(({ deliveryId }) => deliveryId),
    attempts.length,
  );
  await partner.call('POST', `/api/v1/sandbox/deliveries/${id}/advance`, { expect: [409] });
  transcript.passed(
    '5 attempts, freshly signed, one event_id, the delays of the contract; then dead_letter, and no sixth attempt',
  );
  return id;
}

async function deliveryIdOf(
  { partner }: StepContext,
  subscription: Subscription,
  booking: Booking,
): Promise<string> {
  const path = `${observability}?status=all&subscription_id=${subscription.id}`;
  return until(
    'a delivery for the failing endpoint',
    async () => {
      const deliveries = (await partner.ask('GET', path)).list('data');
      const ofBooking = deliveries.find((one) => field(field(one, 'payload'), 'hold_id') === booking.holdId);
      const id = field(ofBooking, 'id');
      return typeof id === 'string' ? id : undefined;
    },
    () => 'none',
  );
}

/** What arrived as this attempt, and the delivery as it is once its failure is noted. */
async function afterAttempt(
  { partner, receiver }: StepContext,
  { path }: Subscription,
  booking: Booking,
  id: string,
  number: number,
): Promise<{ attempt: Delivery; state: unknown }> {
  return until(
    `attempt ${number} at the failing endpoint`,
    async () => {
      const attempt = receiver
        .deliveries(path)
        .find((one) => one.read('hold_id') === booking.holdId && one.attempt === number);
      const { body, list } = await partner.ask('GET', `${observability}/deliveries/${id}`);
      return attempt !== undefined && list('attempts').length === number
        ? { attempt, state: body }
        : undefined;
    },
    async () => {
      const { body, list } = await partner.ask('GET', `${observability}/deliveries/${id}`);
      return `${list('attempts').length} attempts, state ${fieldText(body, 'state')}`;
    },
  );
}

function requireScheduled(
  { transcript }: StepContext,
  attempt: Delivery,
  state: unknown,
  delaySeconds: number,
): void {
  const nextAttemptAt = fieldText(state, 'next_attempt_at');
  const afterSeconds = (Date.parse(nextAttemptAt) - attempt.receivedAtMs) / 1000;
  const isOnTime = Math.abs(afterSeconds - delaySeconds) <= toleranceSeconds;
  const shown = `next_attempt_at ${nextAttemptAt} = +${afterSeconds.toFixed(2)} s`;
  transcript.row(`attempt ${attempt.attempt}: 500, ${shown}`);
  requireThat(isOnTime, `delay after attempt ${attempt.attempt}`, `${delaySeconds} s`, shown);
}

/** The dead letter as the partner finds it without knowing of it. */
export async function showDeadLetter(
  { partner, transcript }: StepContext,
  subscription: Subscription,
  booking: Booking,
  id: string,
): Promise<void> {
  const reply = await partner.call('GET', observability, { show: ['count'] });
  const summary = field(reply.body, 'summary');
  transcript.values('←', { deliveries: field(summary, 'deliveries'), attempts: field(summary, 'attempts') });
  const [dead, ...others] = reply.list('data');
  requireEqual('dead letters, besides this one', [fieldText(dead, 'id'), others.length], [id, 0]);
  const attempts = field(dead, 'attempts');
  for (const attempt of Array.isArray(attempts) ? (attempts as unknown[]) : []) {
    const of = (name: string): string => fieldText(attempt, name);
    transcript.row(`attempt ${of('attempt')} at ${of('sent_at')}: ${of('status_code')}, ${of('error')}`);
  }
  requireEqual('attempts of the dead letter', field(attempts, 'length'), delaysSeconds.length + 1);
  const payload = field(dead, 'payload');
  transcript.values('←', { dead_lettered_at: field(dead, 'dead_lettered_at') });
  transcript.values('←', { 'payload.event_type': field(payload, 'event_type') });
  requireEqual(
    'its payload',
    [fieldText(payload, 'event_type'), fieldText(payload, 'hold_id')],
    ['booking_cancelled', booking.holdId],
  );
  const own = reply.list('subscriptions').find((one) => field(one, 'id') === subscription.id);
  requireEqual('dead letters of the endpoint', field(own, 'dead_letter'), 1);
  transcript.passed('the partner can see the dead letter, with its attempts and payload');
}
