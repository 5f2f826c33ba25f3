import type { VenueRules } from '../../catalog/slots/venue-rules.service.ts';
import type { Db } from '../../platform/mongo.ts';
import { countClaimChanges } from '../../reservations/claim-writes.store.ts';

/** What a read at a venue rests on: its rules, how often this process had changed its claims, and when it began, by `performance.now()`. */
export type Reading = { rules: VenueRules; claimChanges: number; beganAt: number };

/** How far what is kept may be behind what other processes write. */
const MAX_AGE_MS = 500;

/** To be called before anything is read. */
export const beginReading = (db: Db, rules: VenueRules): Reading => ({
  rules,
  claimChanges: countClaimChanges(db, rules.venue._id),
  beganAt: performance.now(),
});

/** Whether what was read may be used again: for half a second, or until this process knows better (ADR 0008). */
export const isRecent = (db: Db, rules: VenueRules, reading: Reading): boolean =>
  reading.rules === rules &&
  reading.claimChanges === countClaimChanges(db, rules.venue._id) &&
  performance.now() - reading.beganAt < MAX_AGE_MS;
