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
  const outcomes = await expireDueHolds(context, holdIds);
  const leftMs = outcomes.flatMap((hold) =>
    hold === null || hold instanceof Error || hold.leftMs === 0 ? [] : hold.leftMs,
  );
  const failures = outcomes.flatMap((hold, index) => (hold instanceof Error ? [[holdIds[index], hold.message]] : []));
  return { leftMs, failures: Object.fromEntries(failures) };
}

/** Expires the holds while a transaction has locked `lockedId`. */
export const expireBesideTransaction = (
  context: Context,
  holdIds: readonly string[],
  lockedId: string,
): ReturnType<typeof expireTogether> =>
  inTransaction(context.db, async (tx) => {
    const update = { $set: { paymentReference: 'held' } };
    await reservationCollection(context.db).updateOne({ _id: lockedId }, update, { session: tx });
    return expireTogether(context, holdIds);
  });
