import type { Run } from '../compare.ts';
import { runOf } from '../compare.ts';
import type { Venue } from '../product/slots.ts';
import { freshSlots } from './place-holds.ts';
import type { Bench } from './row.ts';

const SLOTS_PER_RUN = 7000;

/** A run in which one partner places and releases holds, with at most one active hold per connection. */
export async function holdAndRelease(bench: Bench, venue: Venue): Promise<Run> {
  const params = { ...freshSlots(bench, SLOTS_PER_RUN), apiKeys: bench.apiKeys.slice(0, 1), venue };
  return runOf(await bench.callProduct({ step: 'hold-and-release', params }), '200');
}
