import type { KeyHolder } from '../partners/key-holder.store.ts';
import { findKeyHolder } from '../partners/key-holder.store.ts';
import type { PartnerCaller } from '../partners/partners.service.ts';
import type { Db } from '../platform/mongo.ts';

export type { KeyHolder } from '../partners/key-holder.store.ts';

/** The key with which a call is made, its partner, and the venues granted to it by name. One query. */
export async function readKeyHolder(deps: { db: Db }, caller: PartnerCaller): Promise<KeyHolder> {
  const holder = await findKeyHolder(deps.db, caller);
  // Neither keys nor partners are ever deleted, and this key has just opened the interface.
  if (holder === null) throw new Error(`The key ${caller.keyId} that opened the interface is not stored`);
  return holder;
}
