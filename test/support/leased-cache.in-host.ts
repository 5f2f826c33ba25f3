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

/** What a lease permits while none ends. */
const ENDLESS: Lease = { beginBy: new Date(8.64e15), maxTimeMS: 10_000 };

/** Control: from now on this process acts on what it has read for however long. */
export const ignoreLeases = (context: Context): void => override(context, { lease: () => Promise.resolve(ENDLESS) });

/** Control: from now on this process responds to a change before the leases that were given before it are over. */
export function waitForNoLease(context: Context): void {
  const { invalidate } = leasedCacheOf(context.db);
  override(context, { invalidate: () => invalidate('here') });
}

/** The cache does again what it does by itself. */
export function restoreCache(context: Context): void {
  Object.assign(leasedCacheOf(context.db), originals.get(context));
}

/** The process can have no lease any more, until `cache_leases.findOne` is restored. */
export function loseLeases(context: Context): void {
  loseEach(context, 'cache_leases.findOne');
  void readAnew(context);
}

/** The process reads everything anew at its next use: what it reads then has the whole of a lease. */
export function readAnew({ db }: Context): Promise<void> {
  return leasedCacheOf(db).invalidate('here');
}
