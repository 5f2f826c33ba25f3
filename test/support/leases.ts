import { setTimeout as delay } from 'node:timers/promises';
import { collectionCallsOf } from './collection-calls.ts';
import type * as LeasedCache from './leased-cache.in-host.ts';
import { type HostedOptions, type HostedService, hostedService } from './service-host.ts';

/** Shorter than what remains of a slow lease when a write begins, and longer than a change that waits for no lease. */
export const WITHIN_SLOW_MS = 300;

/** Leases that last longer than a call, however busy the machine is. */
export const SLOW_LEASE_MS = 2500;
export const SLOW: HostedOptions = { overrides: { CACHE_LEASE_MS: String(SLOW_LEASE_MS) } };

/** Functions that change the cache of a process, and its leases. */
export const cacheOf = (service: HostedService) =>
  service.inHost<typeof LeasedCache>('test/support/leased-cache.in-host.ts');

/** Another process on the same database with leases of the same length. Stop it first, with `keepsDatabase`. */
export const beside = ({ environment }: HostedService): Promise<HostedService> => {
  const { MONGODB_URI = '', CACHE_LEASE_MS = '' } = environment;
  return hostedService({ overrides: { MONGODB_URI, CACHE_LEASE_MS } });
};

/** Does `work` while the process gets no lease. */
export async function withoutLease<T>(service: HostedService, work: () => Promise<T>): Promise<T> {
  await cacheOf(service).loseLeases();
  try {
    return await work();
  } finally {
    await collectionCallsOf(service).restore('cache_leases.findOne');
  }
}

/** Returns a function that does work while the service's cache is changed by `change`. */
const whileCacheIs =
  (change: 'ignoreLeases' | 'waitForNoLease') =>
  async <T>(service: HostedService, work: () => Promise<T>): Promise<T> => {
    await cacheOf(service)[change]();
    try {
      return await work();
    } finally {
      await cacheOf(service).restoreCache();
    }
  };

/** Control: does `work` while the process uses cached data of any age. */
export const ignoringLeases = whileCacheIs('ignoreLeases');

/** Control: does `work` while the process waits for no lease before it responds to a change. */
export const waitingForNoLease = whileCacheIs('waitForNoLease');

/**
 * `begin` starts `change`, and resolves when the change is answered, or after `giveUpAfterMs`. Choose a time in which a
 * change that does not wait for work in progress is answered.
 */
export function begun<T>(change: () => Promise<T>, giveUpAfterMs: number) {
  const answered: { response?: Promise<T>; isAnswered: boolean } = { isAnswered: false };
  const begin = async () => {
    const response = change().then((result) => {
      answered.isAnswered = true;
      return result;
    });
    answered.response = response;
    await Promise.race([response, delay(giveUpAfterMs)]);
  };
  return { answered, begin };
}
