import type * as InHost from './collection-calls.in-host.ts';
import type { CollectionMethod } from './collection-calls.in-host.ts';
import type { HostedService } from './service-host.ts';

/** Holds calls of a hosted service to its collections, or makes them fail. Other services are not affected. */
export function collectionCallsOf(service: HostedService) {
  const { hold, reached, proceed, release, lose, loseEach, loseResponse, restore } = service.inHost<typeof InHost>(
    'test/support/collection-calls.in-host.ts',
  );
  const before = async <T>(
    { method, isOnce }: { method: CollectionMethod; isOnce: boolean },
    meanwhile: (turn: number) => Promise<unknown>,
    call: () => Promise<T>,
  ): Promise<T> => {
    await hold(method, isOnce);
    let turns = 0;
    const attend = async (turn: number): Promise<void> => {
      if (!(await reached(method, turn))) return;
      turns = turn + 1;
      const attendThis = async () => {
        try {
          await meanwhile(turn + 1);
        } finally {
          await proceed(method, turn);
        }
      };
      // More calls may come while this one waits.
      await Promise.all([attendThis(), isOnce ? undefined : attend(turn + 1)]);
    };
    const callToTheEnd = async () => {
      try {
        return await call();
      } finally {
        await release(method);
      }
    };
    // Report an error of `meanwhile` first: it usually causes the call's error.
    const [attended, called] = await Promise.allSettled([attend(0), callToTheEnd()]);
    if (attended.status === 'rejected') throw attended.reason;
    if (called.status === 'rejected') throw called.reason;
    if (turns === 0) throw new Error(`Nothing called ${method}`);
    return called.value;
  };
  return {
    /** Runs `call`, and `meanwhile` just before the next call of the method. Throws if nothing calls the method. */
    beforeNext: <T>(method: CollectionMethod, meanwhile: () => Promise<unknown>, call: () => Promise<T>) =>
      before({ method, isOnce: true }, meanwhile, call),
    /** Runs `call`, and `meanwhile` just before each call of the method; `meanwhile` gets the call's number, from 1. */
    beforeEvery: <T>(method: CollectionMethod, meanwhile: (turn: number) => Promise<unknown>, call: () => Promise<T>) =>
      before({ method, isOnce: false }, meanwhile, call),
    lose,
    loseEach,
    loseResponse,
    restore,
  };
}
