import type { EmbeddedServers } from '../../src/development/embedded/servers.ts';
import { buildProduct, buildSiteOfTests } from './build-product.ts';
import { isFastTier } from './scale.ts';
import { startTestServers } from './servers.ts';
import { runKeys } from './service-environment.ts';
import { type SpawnedProcess, startProcess } from './worker-process.ts';

declare global {
  var testServers: EmbeddedServers | undefined;
  var serviceHost: SpawnedProcess | undefined;
}

/**
 * Starts the servers of the test run and the host of the services, puts their addresses into the environment, and
 * builds the product for the tiers that spawn it.
 */
export default async function globalSetup(): Promise<void> {
  const serversStarted = startTestServers();
  await buildSiteOfTests();
  const built = isFastTier ? undefined : buildProduct();
  globalThis.testServers = await serversStarted;
  const settings = {
    TEST_MONGODB_URI: globalThis.testServers.mongodbUri,
    TEST_REDIS_URL: globalThis.testServers.redisUrl,
    ...runKeys(),
  };
  globalThis.serviceHost = startProcess('test/support/service-host-process.ts', settings);
  const { hostUrl, url, adminUrl } = await globalThis.serviceHost.ready;
  Object.assign(process.env, settings, {
    TEST_SERVICE_HOST_URL: hostUrl,
    TEST_SERVICE_URL: url,
    TEST_SERVICE_ADMIN_URL: adminUrl,
  });
  await built;
}
