import { isDeepStrictEqual } from 'node:util';
import { afterAll, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { createBaseApp } from '../../src/http/base-app.ts';
import { listen } from '../../src/http/listen.ts';
import { createAdminApp } from '../../src/main/admin-app.ts';
import { mountMetrics } from '../../src/operations/metrics/metrics-page.ts';
import { loadConfig } from '../../src/process/config/config.ts';
import { createApiContext } from '../../src/process/context.ts';
import { sweep } from '../alerts/watching.in-host.ts';
import { ageAlerts, alertsOf, MINUTE_MS } from '../alerts/watching.ts';
import { eventually } from '../support/eventually.ts';
import { type Family, parseExposition } from '../support/exposition.ts';
import { freePort, ownRedis } from '../support/own-servers.ts';
import { testScope } from '../support/process-scope.ts';
import { startService } from '../support/service.ts';
import { freshName, serviceEnvironment } from '../support/service-environment.ts';

const redis = await ownRedis();
await redis.start();
const service = await startService({ REDIS_URL: redis.uri });
afterAll(async () => {
  await service.stop();
  await redis.discard();
});

/** A scrape, which must succeed soon. It waits up to 1.5 s for the stores; a busy machine needs more time. */
async function scrape(url: string): Promise<Map<string, Family>> {
  const startedAt = performance.now();
  const response = await fetch(`${url}/metrics`);
  const text = await response.text();
  expect(response.status).toBe(200);
  expect(performance.now() - startedAt).toBeLessThan(4000);
  return parseExposition(text);
}
const value = (families: Map<string, Family>, name: string) => families.get(name)?.samples[0]?.value;

test('without Redis, only its metrics and those of the queues are absent', async () => {
  await eventually('the queue is paused', async () => {
    await service.context.queues.byName('webhook-delivery').pause();
    return true;
  });
  const withRedis = await eventually('Redis answers', async () => {
    const families = await scrape(service.adminUrl);
    return value(families, 'pbs_redis_up') === 1 && families;
  });
  expect(new Set(withRedis.get('bullmq_job_count')?.samples.map(({ labels }) => labels['queue']))).toEqual(
    new Set(['hold-expiry', 'webhook-delivery', 'dead-letter']),
  );
  const samples = (name: string) =>
    withRedis.get(name)?.samples.map(({ labels, value: count }) => `${labels['queue']} ${count}`);
  expect(samples('pbs_queue_paused')).toEqual(['hold-expiry 0', 'webhook-delivery 1']);
  expect(samples('pbs_queue_workers')).toEqual(['hold-expiry 0', 'webhook-delivery 0']);
  await sweep(service.context);
  for (const signal of ['SIGSTOP', 'SIGKILL'] as const) {
    await redis.signal(signal);
    const families = await eventually('the page is made anew', async () => {
      const scraped = await scrape(service.adminUrl);
      return value(scraped, 'pbs_redis_up') === 0 && scraped;
    });
    expect(families.has('bullmq_job_count')).toBe(false);
    expect(families.has('pbs_redis_memory_used_ratio')).toBe(false);
    expect([families.has('pbs_queue_paused'), families.has('pbs_queue_workers')]).toEqual([false, false]);
    // Without Redis the queue's state is unknown, so its alert is neither repeated nor resolved.
    await ageAlerts(service, 2 * MINUTE_MS);
    await sweep(service.context);
    const alerts = (await alertsOf(service)).filter(({ kind }) => kind === 'queue_paused');
    expect(alerts).toMatchObject([{ isOpen: true }]);
    expect([value(families, 'pbs_database_up'), families.has('pbs_deliveries')]).toEqual([1, true]);
    expect(families.has('process_cpu_seconds_total')).toBe(true);
  }
});

test.each([
  ['is full', 'OOM', ['CONFIG', 'SET', 'maxmemory', '1'], ['CONFIG', 'SET', 'maxmemory', '0']],
  ['is read-only', 'READONLY', ['REPLICAOF', '127.0.0.1', '1'], ['REPLICAOF', 'NO', 'ONE']],
])(
  'a Redis that %s rejects writes with %s, which /readyz, a metric and the log report',
  async (_what, code, breakIt, repairIt) => {
    await redis.start();
    const admin = new Redis(redis.uri);
    const readState = async () => {
      const ready = (await (await fetch(`${service.url}/readyz`)).json()) as { redis: string };
      return [ready.redis, value(await scrape(service.adminUrl), 'pbs_redis_refuses_writes')];
    };
    const waitForState = (state: string, figure: number) =>
      eventually(`Redis is reported as ${state}`, async () => isDeepStrictEqual(await readState(), [state, figure]));
    try {
      await waitForState('ok', 0);
      await admin.call(...(breakIt as [string]));
      await waitForState(`refuses writes: ${code}`, 1);
      await service.context.queues.enqueueDispatch('reservation', 'event', 'hold_created');
      expect(service.logs()).toContain(`Redis refuses writes: ${code}`);
      await admin.call(...(repairIt as [string]));
      await waitForState('ok', 0);
    } finally {
      admin.disconnect();
      await redis.signal('SIGKILL');
    }
  },
);

test('only a metric that takes too long is absent', async () => {
  const { context } = service;
  const app = createBaseApp(context.log);
  mountMetrics(app, { ...context, missingGuards: () => new Promise<never>(() => undefined) });
  const { url, close } = await listen(app, '127.0.0.1', 0);
  const families = await scrape(url);
  await close();
  expect(value(families, 'pbs_database_up')).toBe(1);
  expect(families.has('pbs_guard_indexes_missing')).toBe(false);
  const states = families.get('pbs_deliveries')?.samples.map(({ labels }) => labels['state']);
  expect(states).toEqual(['pending', 'retrying', 'dead_letter']);
  expect([families.has('pbs_holds_active'), families.has('pbs_alerts_open')]).toEqual([true, true]);
});

test('without MongoDB its metrics are absent, not 0, and the process shows its own', async () => {
  const uri = `mongodb://127.0.0.1:${await freePort()}/none?replicaSet=none`;
  const config = loadConfig(serviceEnvironment(freshName(), { MONGODB_URI: uri }));
  const { scope, abort, release } = testScope('api', { ...config, logLevel: 'silent' }, () => undefined);
  const context = createApiContext(scope);
  context.connected.catch(() => undefined);
  const { url, close } = await listen(createAdminApp(context), '127.0.0.1', 0);
  const families = await scrape(url);
  expect(value(families, 'pbs_database_up')).toBe(0);
  const names = [...families.keys()].filter((name) => name.startsWith('pbs_'));
  expect(names).toEqual(['pbs_database_up', 'pbs_redis_up']);
  expect(families.has('nodejs_eventloop_lag_seconds')).toBe(true);
  abort();
  await close();
  await release();
});
