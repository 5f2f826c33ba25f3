import type { Db } from '../../src/platform/mongo.ts';

type Call = () => Promise<unknown>;

/** Wrappers of the commands that read cache entries, and of those that confirm that the primary sent them. */
export type CacheCalls = {
  onReading: (read: Call) => Promise<unknown>;
  onConfirmation: (confirm: Call) => Promise<unknown>;
};

/** Routes these commands of the connection through `calls`, whose functions the test may replace at any time. */
export function watchCacheCalls(db: Db, calls: CacheCalls): void {
  const leases = db.collection('cache_leases') as unknown as {
    findOne: (filter: unknown, options: { readConcern: { level: string } }) => Promise<unknown>;
    aggregate: (...given: unknown[]) => { toArray: Call };
  };
  const [findOne, aggregate] = [leases.findOne.bind(leases), leases.aggregate.bind(leases)];
  leases.findOne = (filter, options) => {
    const find = () => findOne(filter, options);
    // The other `findOne` is the read by which a waiting change looks for the longest lease.
    return options.readConcern.level === 'linearizable' ? calls.onConfirmation(find) : find();
  };
  leases.aggregate = (...given) => ({ toArray: () => calls.onReading(() => aggregate(...given).toArray()) });
}
