/** The service that the suites of a run share: makes its database, then is the API process. Its settings are its environment. */

import { loadConfig } from '../../src/config/config.ts';
import { migrate } from '../../src/database/collections.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { createDb, openDb } from '../../src/platform/mongo.ts';

const { mongodbUri, logLevel } = loadConfig(undefined, 'migrate');
const db = createDb();
await openDb(db, mongodbUri, createLogger('migrate', logLevel), new AbortController().signal);
await migrate(db);
await db.close();
await import('../../src/api.ts');
