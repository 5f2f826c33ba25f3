import { createRequire } from 'node:module';
import type mongoose from 'mongoose';
import type { Stored } from './rows.ts';
import type { Listeners } from './service-environment.ts';
import { databaseUri, runSetting, SHARED_NAME } from './service-environment.ts';

/** The service that all suites of the run use, each with partners and venues of its own. */
export type SharedService = Listeners & {
  /** Its database, past every service; connects when it is first asked for. */
  context: Stored['context'];
  /** Ends what this suite has of it; the service goes on. */
  stop(): Promise<void>;
};

/**
 * The one API process of the run (shared-service-process.ts), for suites that call it over HTTP and read or change rows of
 * their own. A suite that counts everything, reads logs, changes indexes, queues or settings, or runs a worker's step over all
 * there is has a service of its own (`startService`).
 */
export function sharedService(): SharedService {
  let client: mongoose.mongo.MongoClient | undefined;
  return {
    url: runSetting('TEST_SERVICE_URL'),
    adminUrl: runSetting('TEST_SERVICE_ADMIN_URL'),
    get context() {
      client ??= connect();
      return { db: client.db() as unknown as Stored['context']['db'] };
    },
    stop: async () => {
      await client?.close();
    },
  };
}

/** Loaded when asked for: half of the suites never look into the database. */
function connect(): mongoose.mongo.MongoClient {
  const { mongo } = createRequire(import.meta.url)('mongoose') as typeof mongoose;
  return new mongo.MongoClient(databaseUri(SHARED_NAME));
}
