/** The two secrets that embedded mode makes when the environment sets none. */

import { randomBytes } from 'node:crypto';
import { readState, textIn, writeState } from '../embedded/data-folder.ts';
import type { Environment } from '../embedded/server-kinds.ts';

const secretsFile = 'secrets.json';

export type Secrets = {
  operatorApiKey: string;
  /** Comma list of base64 32-byte keys. */
  encryptionKeys: string;
  /** True in the one run that made the operator key. */
  isOperatorKeyNew: boolean;
};

/** Those of the environment, else those of the folder's `secrets.json`, else new ones, stored there (mode 0600). */
export async function ensureSecrets(folder: string, env: Environment): Promise<Secrets> {
  const kept = await readState(folder, secretsFile);
  const givenOrKept = {
    operatorApiKey: env['OPERATOR_API_KEY'] || textIn(kept, 'operatorApiKey'),
    encryptionKeys: env['ENCRYPTION_KEYS'] || textIn(kept, 'encryptionKeys'),
  };
  const made = {
    ...(!givenOrKept.operatorApiKey && { operatorApiKey: `op_${randomBytes(32).toString('base64url')}` }),
    ...(!givenOrKept.encryptionKeys && { encryptionKeys: randomBytes(32).toString('base64') }),
  };
  if (Object.keys(made).length > 0) await writeState(folder, secretsFile, { ...kept, ...made });
  return {
    operatorApiKey: givenOrKept.operatorApiKey || made.operatorApiKey || '',
    encryptionKeys: givenOrKept.encryptionKeys || made.encryptionKeys || '',
    isOperatorKeyNew: made.operatorApiKey !== undefined,
  };
}
