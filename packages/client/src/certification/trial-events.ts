import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { AnyEvent, EndpointAnswer } from './deliveries.ts';
import { isAccepted } from './deliveries.ts';
import { expectThat } from './scenario.ts';
import type { Trial } from './trial.ts';
import { isHandled, timesHandled } from './trial.ts';

/** How long handling may take after the response. */
const HANDLING_TIMEOUT_MS = 10_000;

const CUSTOMER = {
  payment_reference: 'pay-certification',
  customer_name: 'Asha Rao',
  customer_phone: '+919876543210',
};

/** A real event of the sandbox. */
export async function anyEvent({ sandbox, feed }: Trial): Promise<AnyEvent> {
  const { hold_id: holdId } = await sandbox.heldSlot();
  await sandbox.client.releaseHold({ path: { holdId } });
  return feed.eventOf({ event_type: 'hold_created', hold_id: holdId });
}

export async function eventsOfEveryType({ sandbox, feed }: Trial): Promise<AnyEvent[]> {
  const { client } = sandbox;
  const { hold_id: released } = await sandbox.heldSlot();
  const { hold_id: expired } = await sandbox.heldSlot();
  const { hold_id: booked } = await sandbox.heldSlot();
  await client.releaseHold({ path: { holdId: released } });
  await client.expireHold({ path: { holdId: expired } });
  const { booking_id: bookingId } = await client.confirmBooking({ body: { hold_id: booked, ...CUSTOMER } });
  const body = { reason: 'Certification' };
  await client.cancelBooking({ path: { bookingId }, body });
  await client.refundBooking({ path: { bookingId }, body });
  return [
    await feed.eventOf({ event_type: 'hold_created', hold_id: booked }),
    await feed.eventOf({ event_type: 'hold_cancelled', hold_id: released }),
    await feed.eventOf({ event_type: 'hold_expired', hold_id: expired }),
    await feed.eventOf({ event_type: 'booking_created', hold_id: booked }),
    await feed.eventOf({ event_type: 'booking_cancelled', hold_id: booked }),
    await feed.eventOf({ event_type: 'booking_refunded', hold_id: booked }),
  ];
}

export const fresh = (event: AnyEvent): AnyEvent => ({ ...event, event_id: randomUUID() });

/** @throws Finding unless the delivery was rejected and its event not handled */
export async function expectRefused(trial: Trial, event: AnyEvent, answer: EndpointAnswer, what: string) {
  expectThat(!isAccepted(answer), `${what} was accepted with ${answer.text}.`);
  expectThat(answer.status !== undefined, `${what} got ${answer.text} instead of 401.`);
  expectThat(!(await isHandled(trial, event)), `${what} was rejected with ${answer.text}, but handled all the same.`);
}

/** Waits until each event was handled exactly once. @throws Finding if one was not */
export async function expectHandled(trial: Trial, what: string, ...events: readonly AnyEvent[]): Promise<void> {
  const endsAt = performance.now() + HANDLING_TIMEOUT_MS;
  for (let pauseMs = 25; ; pauseMs = Math.min(pauseMs * 2, 1000)) {
    const times = await timesHandled(trial, events);
    const most = Math.max(...times);
    expectThat(most <= 1, `${what} was handled ${most} times.`);
    const missing = times.filter((each) => each === 0).length;
    if (missing === 0) return;
    const isInTime = performance.now() < endsAt;
    const share = events.length === 1 ? '' : ` (${missing} of ${events.length})`;
    expectThat(isInTime, `${what} was not handled within ${HANDLING_TIMEOUT_MS / 1000} s${share}.`);
    await delay(pauseMs, undefined, { signal: trial.signal });
  }
}
