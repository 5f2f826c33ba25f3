import { grantCollection, grantIdOf } from '../../partners/partners.model.ts';
import type { Db, Tx } from '../../platform/mongo.ts';

/** False for an existing grant. Of two concurrent calls, one may fail with a duplicate key. */
export async function insertGrant(db: Db, partnerId: string, venueId: string, tx: Tx): Promise<boolean> {
  const { upsertedCount } = await grantCollection(db).updateOne(
    { _id: grantIdOf(partnerId, venueId) },
    { $setOnInsert: { partnerId, venueId } },
    { upsert: true, session: tx },
  );
  return upsertedCount === 1;
}

/** False if there is no such grant. */
export async function deleteGrant(db: Db, partnerId: string, venueId: string, tx: Tx): Promise<boolean> {
  const { deletedCount } = await grantCollection(db).deleteOne({ _id: grantIdOf(partnerId, venueId) }, { session: tx });
  return deletedCount === 1;
}
