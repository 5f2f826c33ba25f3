import type { LeasedCache } from '../../src/platform/leased-cache.ts';
import { leasedCacheOf } from '../../src/platform/leased-cache.ts';
import type { Lease } from '../../src/platform/version-leases.ts';
import { loseEach, replace } from './collection-calls.in-host.ts';
import { eventually } from './eventually.ts';
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
export const ignoreLeases = (context: Context): void =>
  override(context, { lease: () => Promise.resolve(ENDLESS) });

/** Control: from now on this process responds to a change before the leases that were given before it are over. */
export const waitForNoLease = (context: Context): void =>
  override(context, { changedForAll: leasedCacheOf(context.db).changed });

/** The cache does again what it does by itself. */
export function restoreCache(context: Context): void {
  Object.assign(leasedCacheOf(context.db), originals.get(context));
}

/** Has the process know of no change after this, and use its lease as long as that lasts, until `cache_versions.findOne` is restored. */
export async function readNoMore(context: Context): Promise<void> {
  await new Promise<void>((done) => {
    // One is sent when the one before it has ended, so that none is under way after this.
    replace(context, 'cache_versions.findOne', (find) => async (given) => {
      const found = await find(...given);
      loseEach(context, 'cache_versions.findOne');
      done();
      return found;
    });
    void leasedCacheOf(context.db).lease(0);
  });
}

/** The same, and resolves when it has no lease any more. */
export async function loseLeases(context: Context): Promise<void> {
  // Else the last reading would begin a lease after this has seen that there is none.
  await haveLease(context);
  await readNoMore(context);
  await eventually('its lease is over', () => !leasedCacheOf(context.db).isLeased());
}

/** Resolves once the process has a lease. */
export async function haveLease({ db }: Context): Promise<void> {
  await eventually('it has a lease', () => leasedCacheOf(db).lease(1000));
}
