/** Program of servers.system.test.ts. Runs the embedded servers in the data folder given, until the message `stop`. */

import { startEmbeddedServers } from '../../src/development/embedded/servers.ts';

const [dataDir] = process.argv.slice(2);
try {
  const { stop, ...servers } = await startEmbeddedServers({ dataDir, env: process.env, log: () => undefined });
  process.once('message', () => void stop().then(() => process.disconnect()));
  process.once('disconnect', () => void stop());
  // The test sends SIGINT to reach the watchers.
  process.on('SIGINT', () => undefined);
  process.send?.(servers);
} catch (error) {
  process.send?.({ error: String(error) }, () => process.disconnect());
}
