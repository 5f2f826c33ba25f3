import { type EmbeddedServers, startEmbeddedServers } from '../../src/development/embedded/servers.ts';

/**
 * Starts one mongod (a replica set of one, fail points allowed) and one redis-server for a whole test run, on ports and
 * in a folder of their own, which `stop` deletes. Nothing outlives this process, however it ends.
 */
export function startTestServers(): Promise<EmbeddedServers> {
  return startEmbeddedServers({
    dataDir: undefined,
    env: process.env,
    log: (line) => process.stderr.write(`${line}\n`),
    isForTests: true,
  });
}
