import { replace } from '../support/collection-calls.in-host.ts';
import type { Service } from '../support/service.ts';

type Context = Service['context'];

/** Replaces the common write of walk-ins and blackouts by a read, until `venues.findOneAndUpdate` is restored. */
export function removeCommonWrite(context: Context): void {
  const venues = context.db.collection('venues');
  replace(context, 'venues.findOneAndUpdate', () => ([filter, _update, options]) => {
    const { session } = options as { session: never };
    return venues.findOne(filter as never, { session });
  });
}
