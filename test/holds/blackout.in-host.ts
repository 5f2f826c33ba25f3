import { replace } from '../support/collection-calls.in-host.ts';
import type { Service } from '../support/service.ts';

type Context = Service['context'];

/** From now on nobody who looks for blackouts finds one, until `blackouts.find` is restored. */
export function findNoBlackouts(context: Context): void {
  replace(context, 'blackouts.find', (find) => () => find({ _id: 'none' }));
}

/** From now on claims and blackouts write nothing in common, until `venues.findOneAndUpdate` is restored. */
export function writeNoFence(context: Context): void {
  replace(context, 'venues.findOneAndUpdate', () => () => Promise.resolve({ claimFence: 1 }));
}
