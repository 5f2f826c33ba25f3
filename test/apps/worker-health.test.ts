import { afterEach, expect, test } from '@jest/globals';
import { serveHealth } from '../../src/main/worker-app.ts';
import { loadConfig } from '../../src/process/config/config.ts';
import { createContext } from '../../src/process/context.ts';
import { createClient } from '../support/client.ts';
import { type TestScope, testScope } from '../support/process-scope.ts';
import { freshName, serviceEnvironment } from '../support/service-environment.ts';

type Scope = TestScope<ReturnType<typeof settings>>;
const settings = (healthPort: string) =>
  loadConfig(serviceEnvironment(freshName(), { HEALTH_PORT: healthPort, LOG_LEVEL: 'info' }), 'hold-expiry');
const scopes: Scope[] = [];
afterEach(async () => {
  for (const { abort, release } of scopes.splice(0)) {
    abort();
    await release();
  }
});

/** Serves the health of an idle worker; returns the address and the worker's scope. */
async function serve(healthPort = '0') {
  const worker = testScope('hold-expiry', settings(healthPort), () => undefined);
  scopes.push(worker);
  const context = createContext(worker.scope);
  context.connected.catch(() => undefined);
  const { url } = await serveHealth(worker.scope, context);
  return { ...worker, url };
}

test('with a stalled sweep, a worker’s /healthz is 503 and names the sweep and its silence', async () => {
  const { scope, url } = await serve();
  const { get } = createClient(url, undefined);
  expect((await get('/healthz')).status).toBe(200);
  scope.progress.expect('sweep lapsed-holds', -1);
  expect(await get('/healthz')).toMatchObject({
    status: 503,
    body: { status: 'stalled', stalled: [{ name: 'sweep lapsed-holds', silent_seconds: 0 }] },
  });
  expect((await get('/nothing')).status).toBe(404);
});

test('a stopping worker is not ready', async () => {
  const { abort, url } = await serve();
  abort();
  expect(await createClient(url, undefined).get('/readyz')).toMatchObject({
    status: 503,
    body: { status: 'stopping' },
  });
});

test('a port in use ends the start, and the error names HEALTH_PORT', async () => {
  const { url } = await serve();
  await expect(serve(new URL(url).port)).rejects.toThrow(
    /^HEALTH_PORT \d+ is taken on 127\.0\.0\.1.*Give each its own, or 0 for any free one\.$/,
  );
});
