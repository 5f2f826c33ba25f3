import type { EmbeddedServers } from '../../src/development/embedded/servers.ts';
import { buildProduct } from './build-product.ts';
import { isFastTier } from './scale.ts';
import { startTestServers } from './servers.ts';
import { runKeys, SHARED_NAME, serviceEnvironment } from './service-environment.ts';
import type { SpawnedProcess } from './worker-process.ts';
import { startProcess } from './worker-process.ts';

declare global {
  var testServers: EmbeddedServers | undefined;
  var testService: SpawnedProcess | undefined;
}

/**
 * Starts the servers of the test run and the service that its suites share, which they find in the environment, and builds the
 * product for the tiers that spawn it.
 */
export default async function globalSetup(): Promise<void> {
  const built = isFastTier ? undefined : buildProduct();
  globalThis.testServers = await startTestServers();
  process.env['TEST_MONGODB_URI'] = globalThis.testServers.mongodbUri;
  process.env['TEST_REDIS_URL'] = globalThis.testServers.redisUrl;
  Object.assign(process.env, runKeys());
  const settings = serviceEnvironment(SHARED_NAME, { LOG_LEVEL: 'warn' });
  globalThis.testService = startProcess('test/support/shared-service-process.ts', settings);
  const { url, adminUrl } = await globalThis.testService.ready;
  Object.assign(process.env, { TEST_SERVICE_URL: url, TEST_SERVICE_ADMIN_URL: adminUrl });
  await built;
}
