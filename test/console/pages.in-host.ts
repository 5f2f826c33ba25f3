import { sweep } from '../alerts/watching.in-host.ts';
import { insertDeadLetters } from '../alerts/watching.ts';
import type { Service } from '../support/service.ts';

type Context = Service['context'];

/** The alerts' watch looks once. */
export const lookForAlerts = (context: Context): Promise<void> => sweep(context);

/** Reads a subscription that need not exist. */
export const addDeadLetter = (context: Context, id: string, subscriptionId: string, partnerId: string): Promise<void> =>
  insertDeadLetters({ context }, subscriptionId, partnerId, [id]);
