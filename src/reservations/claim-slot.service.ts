import { isDuplicateKey } from '../platform/mongo.ts';
import type { Claimant } from './reservation-reads.store.ts';
import { findClaimants } from './reservation-reads.store.ts';
import type { ReservationDeps } from './reservations.service.ts';
import { settleLapsedHold } from './reservations.service.ts';

/**
 * Runs an insert that claims `cells`. Where the guard index rejects it, every lapsed hold in the way is settled, whatever else
 * is in the way, and where nothing else is, the insert is tried once more: a lapsed hold can be taken over at once, worker or
 * not. Returns the insert's result, or the live claims in the way; the index alone decides, nothing is checked first (ADR 0002).
 */
export async function claimSlot<T>(
  deps: ReservationDeps,
  cells: readonly string[],
  insert: () => Promise<T>,
): Promise<{ won: T } | { lostTo: Claimant[] }> {
  for (let isRetry = false; ; isRetry = true) {
    try {
      return { won: await insert() };
    } catch (err) {
      if (!isDuplicateKey(err)) throw err;
    }
    const claimants = await findClaimants(deps.db, cells);
    const isLapsed = ({ status }: Claimant) => status === 'EXPIRED';
    // Also where a live claim decides the outcome: a walk-in that overrides that one would lose to these again.
    await Promise.all(claimants.filter(isLapsed).map(({ _id }) => settleLapsedHold(deps, _id)));
    const live = claimants.filter((claim) => !isLapsed(claim));
    if (live.length > 0 || isRetry) return { lostTo: live };
  }
}
