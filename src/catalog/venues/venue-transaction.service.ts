import pLimit, { type LimitFunction } from 'p-limit';
import { DomainError } from '../../domain/errors.ts';
import { memoizeByObject } from '../../platform/memoize-by-object.ts';
import { type Db, inTransaction, TRANSACTION_MS, type Tx } from '../../platform/mongo.ts';
import type { VenueRow } from './venues.model.ts';
import { fenceVenue } from './venues.store.ts';

export { fenceResource } from './resources.store.ts';

/** How many calls of this process may wait for a venue. */
const MAX_WAITING = 8;

const limitsOf = memoizeByObject((_db: Db) => new Map<string, LimitFunction>());

/**
 * Runs a transaction that sells at the venue or changes what may be sold there. If two such transactions overlap, one
 * runs again and sees the changes of the other. `work` gets the venue as the transaction sees it and must have no
 * side effects. Calls of this process for one venue run one after the other.
 * @throws DomainError SERVICE_UNAVAILABLE if eight calls are waiting already, or the call waits for more than 10 s.
 */
export async function inVenueTransaction<T>(
  db: Db,
  venueId: string,
  work: (tx: Tx, venue: VenueRow | null) => Promise<T>,
): Promise<T> {
  const untilMs = performance.now() + TRANSACTION_MS;
  const limits = limitsOf(db);
  const limit = limits.get(venueId) ?? pLimit(1);
  if (limit.pendingCount >= MAX_WAITING) throw tooManyAtVenue();
  limits.set(venueId, limit);
  try {
    return await limit(() => {
      if (performance.now() >= untilMs) throw tooManyAtVenue();
      return inTransaction(db, async (tx) => work(tx, await fenceVenue(db, venueId, tx)), untilMs);
    });
  } finally {
    if (limit.activeCount + limit.pendingCount === 0) limits.delete(venueId);
  }
}

function tooManyAtVenue(): DomainError {
  return new DomainError(
    'SERVICE_UNAVAILABLE',
    'Too many calls that sell or change this venue are waiting. Nothing was done: repeat the call after the time in Retry-After.',
  );
}
