import { replace } from '../support/collection-calls.in-host.ts';
import type { Service } from '../support/service.ts';

type Context = Service['context'];

const FENCES = ['venues.findOneAndUpdate', 'resources.findOneAndUpdate'] as const;

/** The next transaction that sells reads its venue and its resource, and writes neither. */
export function writeNoFences(context: Context): void {
  for (const fence of FENCES) {
    const collection = context.db.collection(fence.replace(/\..*/, ''));
    replace(context, fence, () => ([filter, _update, options], end) => {
      end();
      const { session } = options as { session: never };
      return collection.findOne(filter as never, { session });
    });
  }
}
