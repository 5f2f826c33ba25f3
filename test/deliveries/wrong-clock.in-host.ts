import { discardDeadLetters, redeliverDeadLetters } from '../../src/webhooks/deliveries/dead-letters.service.ts';
import { dispatchEvents } from '../../src/webhooks/deliveries/dispatch-events.service.ts';
import { recoverDeliveries } from '../../src/webhooks/deliveries/recover-deliveries.service.ts';
import { redeliver } from '../../src/webhooks/deliveries/redelivery.service.ts';
import { sendTestEvent } from '../../src/webhooks/deliveries/test-event.service.ts';
import type { Service } from '../support/service.ts';
import { withClockOff } from './deliveries.in-host.ts';

type Context = Service['context'];

export async function dispatchBy(context: Context, offMs: number, holdId: string): Promise<void> {
  await dispatchEvents(withClockOff(context, offMs), [holdId]);
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
