import { createPartnerApp } from '../../src/main/partner-app.ts';
import type { Service } from '../support/service.ts';
import { listenUntilStop } from '../support/service-stop.ts';

type Context = Service['context'];

/** Another partner listener with this limit of connections; returns its address. */
export const listenWith = (context: Context, maxConnections: number): Promise<string> =>
  listenUntilStop(context, createPartnerApp(context), { maxConnections });
