/** The passwords of the embedded servers: other users of this machine reach their ports too. */

import { randomBytes } from 'node:crypto';
import { readState, textIn, writeState } from './data-folder.ts';

const credentialsFile = 'server-credentials.json';

/** The user of the service, in both servers. */
export const serverUser = 'partner_booking';

export type ServerCredentials = {
  mongodbPassword: string;
  /** What the members of the replica set share: who has it may do anything. */
  mongodbKey: string;
  redisPassword: string;
};

/** Those of the folder's `server-credentials.json` (mode 0600); what it lacks is made now. None needs encoding in a URL. */
export async function ensureServerCredentials(folder: string): Promise<ServerCredentials> {
  const kept = await readState(folder, credentialsFile);
  const credentials: ServerCredentials = {
    mongodbPassword: textIn(kept, 'mongodbPassword') ?? randomBytes(32).toString('base64url'),
    // MongoDB takes base64 alone.
    mongodbKey: textIn(kept, 'mongodbKey') ?? randomBytes(48).toString('base64'),
    redisPassword: textIn(kept, 'redisPassword') ?? randomBytes(32).toString('base64url'),
  };
  const isComplete = Object.entries(credentials).every(([name, value]) => kept[name] === value);
  if (!isComplete) await writeState(folder, credentialsFile, { ...kept, ...credentials });
  return credentials;
}
