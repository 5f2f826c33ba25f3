import { sweep } from '../alerts/watching.in-host.ts';
import { insertDeadLetters } from '../alerts/watching.ts';
import type { Service } from '../support/service.ts';

type Context = Service['context'];

/** Sweeps the alerts once. */
export const lookForAlerts = (context: Context): Promise<void> => sweep(context);

/** The subscription need not exist. */
export const addDeadLetter = (context: Context, id: string, subscriptionId: string, partnerId: string): Promise<void> =>
  insertDeadLetters({ context }, subscriptionId, partnerId, [id]);
