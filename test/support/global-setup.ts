import type { EmbeddedServers } from '../../src/development/embedded/servers.ts';
import { buildProduct } from './build-product.ts';
import { isFastTier } from './scale.ts';
import { startTestServers } from './servers.ts';

declare global {
  var testServers: EmbeddedServers | undefined;
}

/** Starts the servers of the test run, whose addresses test files read from the environment, and builds the service for the tiers that spawn it. */
export default async function globalSetup(): Promise<void> {
  const built = isFastTier ? undefined : buildProduct();
  [globalThis.testServers] = await Promise.all([startTestServers(), built]);
  process.env['TEST_MONGODB_URI'] = globalThis.testServers.mongodbUri;
  process.env['TEST_REDIS_URL'] = globalThis.testServers.redisUrl;
}
