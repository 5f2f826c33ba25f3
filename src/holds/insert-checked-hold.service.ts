import { hasGrantForClaim } from '../partners/partners.service.ts';
import { newId } from '../platform/ids.ts';
import type { Db } from '../platform/mongo.ts';
import { inTransaction } from '../platform/mongo.ts';
import type { Lease } from '../platform/version-leases.ts';
import type { HoldOptions } from '../reservations/insert-hold.store.ts';
import { insertHoldInTransaction, insertHoldUnderLease } from '../reservations/insert-hold.store.ts';
import { findReservation } from '../reservations/reservation-reads.store.ts';
import type { NewReservation, Written } from '../reservations/reservations.store.ts';
import { checkClaim } from '../slots/check-claim.service.ts';

/** What was drafted may not be sold any more. */
export type NotSellable = { unsellable: 'not_granted' | 'inactive' | 'blackout' };

/**
 * Inserts a hold that nothing forbids at that moment: under the lease under which it was drafted, in one command; without a lease,
 * or where it ends too early, in a transaction that excludes every change of what the hold rests on (ADR 0037). Throws a
 * duplicate-key error where a cell, the key or the ordinal is taken.
 */
export async function insertCheckedHold(
  deps: { db: Db },
  draft: NewReservation,
  options: HoldOptions,
  lease: Lease | undefined,
): Promise<Written | NotSellable> {
  if (lease !== undefined) {
    const written = await insertHoldUnderLease(deps.db, draft, options, lease);
    if (written !== undefined) return written;
    const inserted = await findReservation(deps.db, draft._id);
    // It is found by the sweep where this has no job: its event's id is not known here.
    if (inserted !== null) return { reservation: inserted, eventId: newId() };
  }
  return inTransaction(deps.db, async (tx) => {
    const isGranted = await hasGrantForClaim(deps, draft.partnerId, draft.venueId, tx);
    if (!isGranted) return { unsellable: 'not_granted' };
    const checked = await checkClaim(deps, draft, tx);
    if ('unsellable' in checked) return checked;
    return insertHoldInTransaction(deps.db, checked.draft, options, tx);
  });
}
