import { discardDeadLetters, redeliverDeadLetters } from '../../src/webhooks/deliveries/dead-letters.service.ts';
import { dispatchEvents } from '../../src/webhooks/deliveries/dispatch-events.service.ts';
import { recoverDeliveries } from '../../src/webhooks/deliveries/recover-deliveries.service.ts';
import { redeliver } from '../../src/webhooks/deliveries/redelivery.service.ts';
import { sendTestEvent } from '../../src/webhooks/deliveries/test-event.service.ts';
import type { Service } from '../support/service.ts';
import { attemptDelivery, standardSender } from '../support/service-calls.ts';

type Context = Service['context'];

/** The context of a process whose clock is off by `offMs`. */
const withClockOff = (context: Context, offMs: number): Context => ({
  ...context,
  clock: { now: () => new Date(Date.now() + offMs) },
});

export async function dispatchBy(context: Context, offMs: number, holdId: string): Promise<void> {
  await dispatchEvents(withClockOff(context, offMs), [holdId]);
}

/** The result of an attempt of the delivery, whether it is due or not. */
export async function attemptBy(context: Context, offMs: number, deliveryId: string): Promise<unknown> {
  const sender = standardSender();
  try {
    return await attemptDelivery({ context: withClockOff(context, offMs) }, sender, deliveryId, { isMadeDue: false });
  } finally {
    await sender.close();
  }
}

/** The state of the delivery after a redelivery, or the code of its rejection. */
export function redeliverBy(context: Context, offMs: number, partnerId: string, deliveryId: string): Promise<string> {
  return redeliver(withClockOff(context, offMs), partnerId, deliveryId).then(
    ({ delivery }) => delivery.state,
    ({ code }: { code: string }) => code,
  );
}

/** Recovers deliveries since the instant; returns how many. */
export function recoverBy(
  context: Context,
  offMs: number,
  partnerId: string,
  subscriptionId: string,
  since: string,
): Promise<number> {
  return recoverDeliveries(withClockOff(context, offMs), partnerId, subscriptionId, { since: new Date(since) });
}

export async function testEventBy(
  context: Context,
  offMs: number,
  partnerId: string,
  subscriptionId: string,
): Promise<string> {
  return (await sendTestEvent(withClockOff(context, offMs), partnerId, subscriptionId, undefined)).delivery._id;
}

export const redriveAllBy = (context: Context, offMs: number, subscriptionId: string): Promise<number> =>
  redeliverDeadLetters(withClockOff(context, offMs), { subscriptionId });

export const discardAllBy = (context: Context, offMs: number, subscriptionId: string): Promise<number> =>
  discardDeadLetters(withClockOff(context, offMs), { subscriptionId }, 'gone');
