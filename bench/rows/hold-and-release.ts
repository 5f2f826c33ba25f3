import type { Run } from '../compare.ts';
import { runOf } from '../compare.ts';
import type { Venue } from '../product/slots.ts';
import { slotCount } from '../product/slots.ts';
import type { Bench } from './row.ts';

/** A run in which one partner places and releases holds. It has at most one live hold per connection. */
export async function holdAndRelease(bench: Bench, venue: Venue): Promise<Run> {
  const { product, partners, takeSlots } = bench;
  const first = takeSlots(slotCount(bench.venue) / 4) % slotCount(venue);
  const apiKeys = partners.slice(0, 1).map(({ apiKey }) => apiKey);
  const params = { port: product.port, apiKeys, venue, first };
  return runOf(await bench.callProduct({ step: 'hold-and-release', params }), '200');
}
