import '../process/start-tracing.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { DRAIN } from '../http/graceful-close.ts';
import { type Listener, listen } from '../http/listen.ts';
import { startAlerting } from '../operations/alerts/start-alerting.ts';
import { missingGuards } from '../operations/database/collections.ts';
import { untilUsable, watchGuards } from '../operations/database/guards.ts';
import { optionsOrExit } from '../process/arguments.ts';
import { createApiContext } from '../process/context.ts';
import { runProcess } from '../process/lifecycle.ts';
import { createAdminApp } from './admin-app.ts';
import { createPartnerApp } from './partner-app.ts';

optionsOrExit({}, 'npm run start:api');

/** How long to wait for the database before listening. In a rolling restart, a refused connection beats a 503. */
const LISTEN_AFTER_MS = 5000;

/**
 * The API process with both listeners. Without MongoDB, guard indexes or validators it listens after 5 s and returns
 * 503.
 */
runProcess('api', async (scope) => {
  const context = createApiContext(scope);
  const guards = watchGuards(scope, context.db, context.connected);
  context.connected.then(() => {
    startAlerting(scope, context, missingGuards);
    untilUsable(scope, context.db).catch(scope.fail);
  }, scope.fail);
  const firstCheck = context.connected.then(guards.missing).catch(() => undefined);
  await Promise.race([firstCheck, delay(LISTEN_AFTER_MS, undefined, { signal: scope.stopping })]);
  const { host, adminHost, port, adminPort, keepAliveTimeoutMs } = scope.config;
  const listeners: Listener[] = [];
  scope.onStop('listeners', () => Promise.all(listeners.map(({ close }) => close(DRAIN))));
  const serve = async (...args: Parameters<typeof listen>) => {
    const listener = await listen(...args);
    listeners.push(listener);
    return listener;
  };
  const partner = await serve(createPartnerApp(context, guards), host, port, { keepAliveTimeoutMs });
  const admin = await serve(createAdminApp(context, guards), adminHost, adminPort, { keepAliveTimeoutMs });
  return { url: partner.url, adminUrl: admin.url };
});
