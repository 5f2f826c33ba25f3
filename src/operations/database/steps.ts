import { countMisspeltZones, spellZones } from '../../catalog/venues/time-zone-names.service.ts';
import { countUnnumbered, numberEvents } from '../../events/unnumbered-events.store.ts';
import type { Db } from '../../platform/mongo.ts';
import { countMisfolded, foldNamesAgain } from '../../reservations/customer-search.store.ts';

/**
 * A change of what is stored, beside collections, validators and indexes, which are only listed (`COLLECTIONS`). A step is run while
 * the release before this one serves, is killed anywhere, and is run again. So:
 * - it selects what it has yet to change, and changes that: the next run goes on where it stopped, and a run too many changes nothing;
 * - `expand` adds. Processes of the former release neither fail by it nor take it back, and what they still write without it is counted,
 *   so that the next `npm run migrate` changes that too.
 * - `contract` takes away what no release since `unusedSince` reads or writes: the release that stops using a thing and the one
 *   that drops it are two. It runs only where the release before this migration was `unusedSince` or newer; where one was
 *   passed over, it waits for the next upgrade. Releases older than `unusedSince` refuse the database from then on.
 * Versions rise by one and are never given again; a step that was released is not changed. An index is not changed under its name:
 * the new one gets another, and a contract step drops the old one.
 */
export type Step = {
  version: number;
  name: string;
  /** How many rows, or indexes, it would change now. */
  count(db: Db): Promise<number>;
  /** Changes them until all are or `stopping` aborts; returns how many. */
  run(db: Db, stopping: AbortSignal): Promise<number>;
} & ({ kind: 'expand' } | { kind: 'contract'; unusedSince: string });

export const STEPS: readonly Step[] = [
  {
    version: 1,
    name: 'spell-time-zones',
    kind: 'expand',
    count: countMisspeltZones,
    run: spellZones,
  },
  {
    version: 2,
    name: 'fold-names-again',
    kind: 'expand',
    count: countMisfolded,
    run: foldNamesAgain,
  },
  {
    version: 3,
    name: 'number-events',
    kind: 'expand',
    count: countUnnumbered,
    run: numberEvents,
  },
];
