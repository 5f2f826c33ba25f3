import { createKeyUse } from '../../src/partners/authentication.service.ts';
import type { Service } from '../support/service.ts';

type Context = Service['context'];

/** Notes a use of the key, like a process that has not noted any yet. */
export async function noteUseElsewhere(context: Context, keyId: string): Promise<void> {
  createKeyUse(context).note({ _id: keyId, hash: '' });
}
