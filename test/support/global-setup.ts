import type { EmbeddedServers } from '../../src/embedded/servers.ts';
import { buildProduct, bundlePackages } from './builds.ts';
import { startTestServers } from './servers.ts';

declare global {
  var testServers: EmbeddedServers | undefined;
}

/** Builds what tests load, and starts the servers of the test run; test files read their addresses from the environment. */
export default async function globalSetup(): Promise<void> {
  await Promise.all([buildProduct(), bundlePackages()]);
  globalThis.testServers = await startTestServers();
  process.env['TEST_MONGODB_URI'] = globalThis.testServers.mongodbUri;
  process.env['TEST_REDIS_URL'] = globalThis.testServers.redisUrl;
}
