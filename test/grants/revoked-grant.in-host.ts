import { replace } from '../support/collection-calls.in-host.ts';
import type { Service } from '../support/service.ts';

type Context = Service['context'];

/** The next transaction that would write a grant finds it, and writes nothing. */
export function writeNoGrant(context: Context): void {
  replace(context, 'grants.updateOne', () => (_given, end) => {
    end();
    return Promise.resolve({ acknowledged: true, matchedCount: 1 });
  });
}
