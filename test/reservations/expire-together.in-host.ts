import { inTransaction } from '../../src/platform/mongo.ts';
import { reservationCollection } from '../../src/reservations/reservations.model.ts';
import { expireDueHolds } from '../../src/reservations/reservations.service.ts';
import type { Service } from '../support/service.ts';

type Context = Service['context'];

/**
 * Expires all holds by one job. `leftMs`: the remaining time of each live hold. `failures`: why a hold could not be
 * expired.
 */
export async function expireTogether(
  context: Context,
  holdIds: readonly string[],
): Promise<{ leftMs: number[]; failures: Record<string, string> }> {
  const tried = await expireDueHolds(context, holdIds);
  const leftMs = tried.flatMap((hold) =>
    hold === null || hold instanceof Error || hold.leftMs === 0 ? [] : hold.leftMs,
  );
  const failures = tried.flatMap((hold, index) => (hold instanceof Error ? [[holdIds[index], hold.message]] : []));
  return { leftMs, failures: Object.fromEntries(failures) };
}

/** Expires them while a transaction of a frozen process has locked one. */
export const expireBesideTransaction = (
  context: Context,
  holdIds: readonly string[],
  heldId: string,
): ReturnType<typeof expireTogether> =>
  inTransaction(context.db, async (tx) => {
    const held = { $set: { paymentReference: 'held' } };
    await reservationCollection(context.db).updateOne({ _id: heldId }, held, { session: tx });
    return expireTogether(context, holdIds);
  });
