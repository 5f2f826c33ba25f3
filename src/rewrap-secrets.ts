import { createDb, openDb } from './platform/mongo.ts';
import { createSecretBox } from './platform/secret-box.ts';
import { runProcess } from './process/lifecycle.ts';
import { rewrapSecrets } from './subscriptions/rewrap-secrets.service.ts';

/**
 * `npm run rewrap-secrets`: seals every stored secret with the first of ENCRYPTION_KEYS, says which keys are still needed,
 * then ends: with exit code 0 only where all are sealed so. Everything else may run meanwhile, and it may be run again
 * (ADR 0014).
 */
runProcess('rewrap-secrets', async ({ config, log, stopping, onStop, stop }) => {
  const db = createDb();
  onStop('MongoDB', () => db.close());
  const secretBox = createSecretBox(config.encryptionKeys);
  const work = openDb(db, config.mongodbUri, log, stopping).then(() =>
    rewrapSecrets({ db, log, secretBox }, stopping),
  );
  onStop('rewrap', async () => {
    const isDone = await work.then(
      (report) => report.isDone,
      () => false,
    );
    if (!isDone) stop(1);
  });
  const { isDone } = await work;
  setImmediate(stop);
  return { is_done: isDone };
});
