import type * as InHost from './collection-calls.in-host.ts';
import type { CollectionMethod } from './collection-calls.in-host.ts';
import type { HostedService } from './service-host.ts';

/** Calls that a service in the host makes of its collections, held or made to fail: no other service's. */
export type CollectionCalls = {
  /** What `call` comes to where `meanwhile` is done before the next call of the method is made; fails where none is. */
  beforeNext<T>(method: CollectionMethod, meanwhile: () => Promise<unknown>, call: () => Promise<T>): Promise<T>;
  /** Likewise before each of them; `meanwhile` is told which it is, from 1 on. */
  beforeEvery<T>(
    method: CollectionMethod,
    meanwhile: (turn: number) => Promise<unknown>,
    call: () => Promise<T>,
  ): Promise<T>;
  /** The call of that turn from now on fails, as when the process loses the database. */
  lose(method: CollectionMethod, onTurn?: number): Promise<void>;
  /** The call of that turn fails after the database has carried it out. */
  loseResponse(method: CollectionMethod, onTurn?: number): Promise<void>;
  /** Each call fails, until it is restored. */
  loseEach(method: CollectionMethod): Promise<void>;
  restore(method: CollectionMethod): Promise<void>;
};

export function collectionCallsOf(service: HostedService): CollectionCalls {
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
      // Others may come while this one waits.
      await Promise.all([attendThis(), isOnce ? undefined : attend(turn + 1)]);
    };
    const callToTheEnd = async () => {
      try {
        return await call();
      } finally {
        await release(method);
      }
    };
    // What goes wrong meanwhile says more than what comes of the call then.
    const [attended, called] = await Promise.allSettled([attend(0), callToTheEnd()]);
    if (attended.status === 'rejected') throw attended.reason;
    if (called.status === 'rejected') throw called.reason;
    if (turns === 0) throw new Error(`Nothing called ${method}`);
    return called.value;
  };
  return {
    beforeNext: (method, meanwhile, call) => before({ method, isOnce: true }, () => meanwhile(), call),
    beforeEvery: (method, meanwhile, call) => before({ method, isOnce: false }, meanwhile, call),
    lose,
    loseEach,
    loseResponse,
    restore,
  };
}
