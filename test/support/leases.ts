import type { CollectionMethod } from './collection-calls.in-host.ts';
import { collectionCallsOf } from './collection-calls.ts';
import type * as LeasedCache from './leased-cache.in-host.ts';
import type { HostedOptions, HostedService } from './service-host.ts';
import { hostedService } from './service-host.ts';

/** Leases that last longer than a call, however busy the machine is. */
export const SLOW: HostedOptions = { overrides: { CACHE_LEASE_MS: '2500' } };

/** What a process keeps in memory, and the leases that it has for it. */
export const cacheOf = (service: HostedService) =>
  service.inHost<typeof LeasedCache>('test/support/leased-cache.in-host.ts');

/** Another process on the same database; stop it, keeping that, before the one. */
export const beside = ({ environment }: HostedService): Promise<HostedService> =>
  hostedService({ overrides: { MONGODB_URI: environment['MONGODB_URI'] ?? '' } });

/** Does `work` while the process can have no lease. */
export async function withoutLease<T>(service: HostedService, work: () => Promise<T>): Promise<T> {
  await cacheOf(service).loseLeases();
  try {
    return await work();
  } finally {
    await collectionCallsOf(service).restore('cache_versions.findOne');
  }
}

/** Control: does `work` while the process acts on what it has read, however long ago. */
export async function ignoringLeases<T>(service: HostedService, work: () => Promise<T>): Promise<T> {
  await cacheOf(service).ignoreLeases();
  try {
    return await work();
  } finally {
    await cacheOf(service).restoreCache();
  }
}

/** Control: does `work` while the process waits for no lease before it responds to a change. */
export async function waitingForNoLease<T>(service: HostedService, work: () => Promise<T>): Promise<T> {
  await cacheOf(service).waitForNoLease();
  try {
    return await work();
  } finally {
    await cacheOf(service).restoreCache();
  }
}

/**
 * What two calls come to of which the first does the rest of its work when the other has come to its next call of `method`, and
 * the other does the rest of its own after that. `first` does `meanwhile` where it is to be held.
 */
export async function heldBetween<First, Other>(
  service: HostedService,
  first: (meanwhile: () => Promise<void>) => Promise<First>,
  method: CollectionMethod,
  other: () => Promise<Other>,
): Promise<[First, Other]> {
  const firstDone = latch();
  const otherHeld = latch();
  const coming: Promise<Other>[] = [];
  const meanwhile = () => {
    const wait = () => {
      otherHeld.open();
      return firstDone.opened;
    };
    const call = collectionCallsOf(service).beforeNext(method, wait, other);
    coming.push(call);
    return Promise.race([otherHeld.opened, call.then(() => undefined)]);
  };
  const done = await first(meanwhile).finally(firstDone.open);
  const [result] = await Promise.all(coming);
  if (result === undefined) throw new Error('The first call was not held');
  return [done, result];
}

function latch(): { opened: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((done) => {
    open = done;
  });
  return { opened, open };
}
