import { insertDeadLetters, sweep } from '../alerts/watching.ts';
import type { Service } from '../support/service.ts';

type Context = Service['context'];

const deliveries = ({ queues }: Context) => queues.byName('webhook-delivery');

export const pauseDeliveries = (context: Context): Promise<void> => deliveries(context).pause();

export const resumeDeliveries = (context: Context): Promise<void> => deliveries(context).resume();

/** The alerts' watch looks once. */
export const lookForAlerts = (context: Context): Promise<void> => sweep({ context });

/** Of a subscription that need not exist. */
export const addDeadLetter = (
  context: Context,
  id: string,
  subscriptionId: string,
  partnerId: string,
): Promise<void> => insertDeadLetters({ context }, subscriptionId, partnerId, [id]);
