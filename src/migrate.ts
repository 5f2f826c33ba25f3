import { migrate } from './database/collections.ts';
import { createDb, openDb } from './platform/mongo.ts';
import { runProcess } from './process/lifecycle.ts';

/** `npm run migrate`: makes collections, validators and indexes, then ends. Run it before the first start and each upgrade. */
runProcess('migrate', async ({ config, log, stopping, onStop, stop }) => {
  const db = createDb();
  onStop('MongoDB', () => db.close());
  await openDb(db, config.mongodbUri, log, stopping);
  await migrate(db);
  setImmediate(stop);
  return { migrated: true };
});
