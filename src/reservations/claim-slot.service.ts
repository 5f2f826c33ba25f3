import { isDuplicateKey } from '../platform/mongo.ts';
import type { Claim } from './reservation-reads.store.ts';
import { findClaimants } from './reservation-reads.store.ts';
import type { ReservationDeps } from './reservations.service.ts';
import { settleLapsedHold } from './reservations.service.ts';

/**
 * Runs an insert that claims `cells`. Where the guard index refuses it, lapsed holds in the way are settled and the
 * insert is tried once more (decisions §3: a lapsed hold can be taken over at once, worker or not). Answers the insert's
 * result, or the live claims in the way; the index alone decides, nothing is checked first (ADR 0002).
 */
export async function claimSlot<T>(
  deps: ReservationDeps,
  cells: readonly string[],
  insert: () => Promise<T>,
): Promise<{ won: T } | { lostTo: Claim[] }> {
  for (let isRetry = false; ; isRetry = true) {
    try {
      return { won: await insert() };
    } catch (err) {
      if (!isDuplicateKey(err)) throw err;
    }
    const claimants = await findClaimants(deps.db, cells);
    const live = claimants.filter((claim) => claim.status !== 'EXPIRED');
    if (live.length > 0 || isRetry) return { lostTo: live };
    await Promise.all(claimants.map((claim) => settleLapsedHold(deps, claim._id)));
  }
}
