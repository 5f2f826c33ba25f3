import { type Lease, type LeasedCache, leasedCacheOf } from '../../src/platform/leased-cache.ts';
import { loseEach } from './collection-calls.in-host.ts';
import type { Service } from './service.ts';

type Context = Pick<Service['context'], 'db'>;

const originals = new WeakMap<Context, LeasedCache>();

function override(context: Context, change: Partial<LeasedCache>): void {
  const cache = leasedCacheOf(context.db);
  if (!originals.has(context)) originals.set(context, { ...cache });
  Object.assign(cache, change);
}

/** A lease that does not end. */
const ENDLESS: Lease = { beginBy: new Date(8.64e15), maxTimeMS: 10_000 };

/** Control: from now on, this process uses cached data of any age. */
export const ignoreLeases = (context: Context): void => override(context, { lease: () => Promise.resolve(ENDLESS) });

/** Control: from now on, this process responds to a change without waiting until earlier leases have ended. */
export function waitForNoLease(context: Context): void {
  const { invalidate } = leasedCacheOf(context.db);
  override(context, { invalidate: () => invalidate('here') });
}

/** Restores the cache's own behaviour. */
export function restoreCache(context: Context): void {
  Object.assign(leasedCacheOf(context.db), originals.get(context));
}

/** From now on, the process gets no lease, until `cache_leases.findOne` is restored. */
export function loseLeases(context: Context): void {
  loseEach(context, 'cache_leases.findOne');
  void readAnew(context);
}

/** Clears the process's cache, so that the next read starts a full lease. */
export function readAnew({ db }: Context): Promise<void> {
  return leasedCacheOf(db).invalidate('here');
}
