import { createKeyUse } from '../../src/partners/authentication.service.ts';
import type { Service } from '../support/service.ts';

type Context = Service['context'];

/** Notes that a key was used, as another process does that has noted nothing yet. */
export async function noteUseElsewhere(context: Context, keyId: string): Promise<void> {
  createKeyUse(context).note({ _id: keyId, hash: '' });
}
