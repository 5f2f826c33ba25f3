import { createPartnerApp } from '../../src/apps/partner-app.ts';
import type { Listener } from '../../src/http/listen.ts';
import { listen } from '../../src/http/listen.ts';
import type { Service } from '../support/service.ts';

type Context = Service['context'];

const listeners = new WeakMap<Context, Listener>();

/** Another listener of the partner interface, which holds so many connections. */
export async function listenWith(context: Context, maxConnections: number): Promise<{ url: string }> {
  const listener = await listen(createPartnerApp(context), '127.0.0.1', 0, { maxConnections });
  listeners.set(context, listener);
  return { url: listener.url };
}

export async function closeListener(context: Context): Promise<void> {
  await listeners.get(context)?.close();
}
