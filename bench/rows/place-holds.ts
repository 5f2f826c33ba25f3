import type { Run } from '../compare.ts';
import { runOf } from '../compare.ts';
import { RAW_COLLECTION } from '../product/contents.ts';
import { slotCount } from '../product/slots.ts';
import type { Bench } from './row.ts';

/** More slots than a run can take. */
const SLOTS_OF_RUN = 12_000;

/** A run in which all partners place holds on free slots. Deletes all rows first, or with `keep` only ACTIVE holds. */
export function placeHolds(bench: Bench, { keep = false } = {}): () => Promise<Run> {
  return async () => {
    await (keep ? bench.contents.clearHolds() : bench.contents.clear());
    const { product, apiKeys, venue } = bench;
    const first = bench.takeSlots(SLOTS_OF_RUN) % slotCount(venue);
    const params = { port: product.port, apiKeys, venue, first };
    return runOf(await bench.callProduct({ step: 'place-hold', params }), '201');
  };
}

/** The limit of `placeHolds`: a run that inserts such documents one by one. */
export function insertHolds(bench: Bench): () => Promise<Run> {
  return async () => {
    await bench.contents.clear();
    const params = { ...rawCopies(bench), first: bench.takeSlots(SLOTS_OF_RUN) };
    return runOf(await bench.callLimit({ step: 'insert', params }), 'inserted');
  };
}

/** The parameters of limits that write. */
export function rawCopies({ product, contents, venue, partnerIds }: Bench) {
  const { mongodbUri } = product;
  return { mongodbUri, collection: RAW_COLLECTION, originals: contents.originals, venue, partnerIds };
}
