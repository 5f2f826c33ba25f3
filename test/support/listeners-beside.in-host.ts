import { createAdminApp } from '../../src/apps/admin-app.ts';
import { createPartnerApp } from '../../src/apps/partner-app.ts';
import { listen } from '../../src/http/listen.ts';
import { createRateLimits } from '../../src/http/rate-limiter.ts';
import type { Service } from './service.ts';

type Context = Service['context'];

const closers = new Map<string, () => Promise<void>>();

/**
 * A listener of the service as another process of it has it, which has counted no wrong key yet; `settings` are in place of the
 * service's own. Returns its address. Close it before the service is stopped.
 */
export async function listenBeside(
  context: Context,
  which: 'partner' | 'admin',
  settings: Partial<Context['config']> = {},
): Promise<string> {
  const config = { ...context.config, ...settings };
  const rateLimits = createRateLimits(config, context.log);
  const createApp = which === 'partner' ? createPartnerApp : createAdminApp;
  const { url, close } = await listen(createApp({ ...context, config, rateLimits }), '127.0.0.1', 0);
  closers.set(url, async () => {
    await close();
    await rateLimits.close();
  });
  return url;
}

export async function closeBeside(_context: Context, url: string): Promise<void> {
  const close = closers.get(url);
  closers.delete(url);
  await close?.();
}
