import type { Db } from '../../src/platform/mongo.ts';

type Call = () => Promise<unknown>;

/** What becomes of the commands by which a cache reads entries, and by which it confirms that they came from the primary. */
export type CacheCalls = {
  onReading: (read: Call) => Promise<unknown>;
  onConfirmation: (confirm: Call) => Promise<unknown>;
};

/** Passes every such command of this connection through `calls`, which may change. */
export function watchCacheCalls(db: Db, calls: CacheCalls): void {
  const leases = db.collection('cache_leases') as unknown as {
    findOne: (filter: unknown, options: { readConcern: { level: string } }) => Promise<unknown>;
    aggregate: (...given: unknown[]) => { toArray: Call };
  };
  const [findOne, aggregate] = [leases.findOne.bind(leases), leases.aggregate.bind(leases)];
  leases.findOne = (filter, options) => {
    const find = () => findOne(filter, options);
    // A change that waits asks for the longest lease by another read.
    return options.readConcern.level === 'linearizable' ? calls.onConfirmation(find) : find();
  };
  leases.aggregate = (...given) => ({ toArray: () => calls.onReading(() => aggregate(...given).toArray()) });
}
