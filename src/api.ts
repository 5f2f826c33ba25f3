import { createAdminApp } from './admin-app.ts';
import { startAlerting } from './alerting.ts';
import { createApiContext } from './context.ts';
import { watchGuards } from './guards.ts';
import { listen } from './http/listen.ts';
import { createPartnerApp } from './partner-app.ts';
import { runProcess } from './platform/lifecycle.ts';

/** The API process: both listeners. It serves, and answers 503, before MongoDB, its guards and Redis are there. */
runProcess('api', async (scope) => {
  const context = createApiContext(scope);
  const guards = watchGuards(scope, context.db, context.connected);
  context.connected.then(() => startAlerting(scope, context), scope.fail);
  const { host, port, adminPort } = scope.config;
  const partner = await listen(createPartnerApp(context, guards), host, port);
  scope.onStop('partner listener', partner.close);
  const admin = await listen(createAdminApp(context, guards), host, adminPort);
  scope.onStop('admin listener', admin.close);
  return { url: partner.url, adminUrl: admin.url };
});
