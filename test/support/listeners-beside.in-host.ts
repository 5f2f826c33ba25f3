import { createRateLimits } from '../../src/http/rate-limiter.ts';
import { createAdminApp } from '../../src/main/admin-app.ts';
import { createPartnerApp } from '../../src/main/partner-app.ts';
import type { Service } from './service.ts';
import { listenUntilStop, onServiceStop } from './service-stop.ts';

type Context = Service['context'];

/**
 * Starts a second listener like another process of the service, with its own counts of wrong keys; returns its address.
 * `settings` override those of the service.
 */
export async function listenBeside(
  context: Context,
  which: 'partner' | 'admin',
  settings: Partial<Context['config']> = {},
): Promise<string> {
  const config = { ...context.config, ...settings };
  const rateLimits = createRateLimits(config, context.log);
  const createApp = which === 'partner' ? createPartnerApp : createAdminApp;
  onServiceStop(context, () => rateLimits.close());
  return listenUntilStop(context, createApp({ ...context, config, rateLimits }));
}
