import { countMisspeltZones, spellZones } from '../../catalog/venues/time-zone-names.service.ts';
import { countUnnumbered, numberEvents } from '../../events/unnumbered-events.store.ts';
import type { Db } from '../../platform/mongo.ts';
import { countMisfolded, foldNamesAgain } from '../../reservations/customer-search.store.ts';

/**
 * A change of stored data. Collections, validators and new indexes need no step: `migrate` makes all of `COLLECTIONS`.
 * A step runs while the previous release serves, and may be killed and repeated:
 * - it selects rows that are not changed yet, so the next run continues and a further run changes nothing;
 * - `expand` adds. Processes of the previous release work with the changed rows and do not revert them. The next
 *   `npm run migrate` changes the rows that they wrote meanwhile.
 * - `contract` removes what no release since `unusedSince` reads or writes: one release stops using it, a later one
 *   drops it. It runs only if the previous release was `unusedSince` or newer, else it waits for the next upgrade.
 *   Older releases reject the database from then on.
 *
 * Versions rise by one and are never reused; a released step is never changed. A changed index gets a new name, and a
 * contract step drops the old one.
 */
export type Step = {
  version: number;
  name: string;
  count(db: Db): Promise<number>;
  /** Changes rows until `stopping` aborts; returns their number. */
  run(db: Db, stopping: AbortSignal): Promise<number>;
} & ({ kind: 'expand' } | { kind: 'contract'; unusedSince: string });

export const STEPS: readonly Step[] = [
  { version: 1, name: 'spell-time-zones', kind: 'expand', count: countMisspeltZones, run: spellZones },
  { version: 2, name: 'fold-names-again', kind: 'expand', count: countMisfolded, run: foldNamesAgain },
  { version: 3, name: 'number-events', kind: 'expand', count: countUnnumbered, run: numberEvents },
];
