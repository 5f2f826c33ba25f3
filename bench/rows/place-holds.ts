import type { Run } from '../compare.ts';
import { runOf } from '../compare.ts';
import { RAW_COLLECTION } from '../product/contents.ts';
import { slotCount } from '../product/slots.ts';
import type { Bench } from './row.ts';

/** More slots than a run can take. */
const SLOTS_OF_RUN = 12_000;

/** A run in which every partner places holds on free slots of the venue. It begins with nothing or, with `keep`, without holds. */
export function placeHolds(bench: Bench, { keep = false } = {}): () => Promise<Run> {
  return async () => {
    await (keep ? bench.contents.clearHolds() : bench.contents.clear());
    const { product, apiKeys, venue } = bench;
    const first = bench.takeSlots(SLOTS_OF_RUN) % slotCount(venue);
    const params = { port: product.port, apiKeys, venue, first };
    return runOf(await bench.callProduct({ step: 'place-hold', params }), '201');
  };
}

/** Its limit: a run in which the same documents are inserted one by one. */
export function insertHolds(bench: Bench): () => Promise<Run> {
  return async () => {
    await bench.contents.clear();
    const params = { ...rawCopies(bench), first: bench.takeSlots(SLOTS_OF_RUN) };
    return runOf(await bench.callLimit({ step: 'insert', params }), 'inserted');
  };
}

/** What limits that write are given. */
export function rawCopies({ product, contents, venue, partnerIds }: Bench) {
  const { mongodbUri } = product;
  return { mongodbUri, collection: RAW_COLLECTION, originals: contents.originals, venue, partnerIds };
}
