import { inTransaction } from '../../src/platform/mongo.ts';
import { reservationCollection } from '../../src/reservations/reservations.model.ts';
import { expireHold } from '../../src/reservations/reservations.service.ts';
import type { Service } from '../support/service.ts';

type Context = Service['context'];

/** What each hold has left in milliseconds, or why it could not be ended, where so many workers have the jobs of all of them at once. */
export async function expireTogether(
  context: Context,
  holdIds: readonly string[],
  workers = 1,
): Promise<(number | string)[]> {
  // Each has its own batches, as processes have.
  const owners = Array.from({ length: workers }, () => ({ ...context }));
  const settled = await Promise.allSettled(
    owners.flatMap((owner) => holdIds.map((holdId) => expireHold(owner, holdId))),
  );
  return settled.map((each) => (each.status === 'fulfilled' ? each.value : (each.reason as Error).message));
}

/** The same while a transaction has one of them, as of a process that stands still. */
export const expireBesideTransaction = (
  context: Context,
  holdIds: readonly string[],
  heldId: string,
): Promise<(number | string)[]> =>
  inTransaction(context.db, async (tx) => {
    const held = { $set: { paymentReference: 'held' } };
    await reservationCollection(context.db).updateOne({ _id: heldId }, held, { session: tx });
    return expireTogether(context, holdIds);
  });
