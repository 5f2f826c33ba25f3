import { sweep } from '../alerts/watching.ts';
import type { Service } from '../support/service.ts';

type Context = Service['context'];

/** The alerts' watch looks once. */
export const lookForAlerts = (context: Context): Promise<void> => sweep({ context });
