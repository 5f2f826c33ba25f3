import type { EmbeddedServers } from '../../src/embedded/servers.ts';
import { startTestServers } from './servers.ts';

declare global {
  var testServers: EmbeddedServers | undefined;
}

/** Starts the servers of the test run; test files read their addresses from the environment. */
export default async function globalSetup(): Promise<void> {
  globalThis.testServers = await startTestServers();
  process.env['TEST_MONGODB_URI'] = globalThis.testServers.mongodbUri;
  process.env['TEST_REDIS_URL'] = globalThis.testServers.redisUrl;
}
