import type { EmbeddedServers } from '../../src/development/embedded/servers.ts';
import { buildProduct } from './build-product.ts';
import { startTestServers } from './servers.ts';

declare global {
  var testServers: EmbeddedServers | undefined;
}

/** Builds the service, for tests that spawn it, and starts the servers of the test run; test files read their addresses from the environment. */
export default async function globalSetup(): Promise<void> {
  [globalThis.testServers] = await Promise.all([startTestServers(), buildProduct()]);
  process.env['TEST_MONGODB_URI'] = globalThis.testServers.mongodbUri;
  process.env['TEST_REDIS_URL'] = globalThis.testServers.redisUrl;
}
