import { type EmbeddedServers, startEmbeddedServers } from '../../src/development/embedded/servers.ts';

/**
 * Starts one mongod (a replica set of one, fail points allowed) and one redis-server for a test run, on their own ports
 * and in their own folder, which `stop` deletes. They never outlive this process.
 */
export function startTestServers(): Promise<EmbeddedServers> {
  return startEmbeddedServers({
    dataDir: undefined,
    env: process.env,
    log: (line) => process.stderr.write(`${line}\n`),
    isForTests: true,
  });
}
