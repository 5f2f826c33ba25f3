import { createSecretBox } from '../platform/secret-box.ts';
import { optionsOrExit } from '../process/arguments.ts';
import { runCommand } from '../process/command.ts';
import { rewrapSecrets } from '../webhooks/subscriptions/rewrap-secrets.service.ts';

optionsOrExit({}, 'node dist/src/main/rewrap-secrets.js');

/**
 * `npm run rewrap-secrets`: seals every stored secret with the first of ENCRYPTION_KEYS while the service runs, and
 * logs which keys are still needed; exit code 0 only if the first key seals all secrets (ADR 0013).
 */
runCommand('rewrap-secrets', async ({ config, log, stopping, openDatabase }) => {
  const secretBox = createSecretBox(config.encryptionKeys);
  const { isDone } = await rewrapSecrets({ db: await openDatabase(), log, secretBox }, stopping);
  return { isDone, report: { is_done: isDone } };
});
