import type { Run } from '../compare.ts';
import { runOf } from '../compare.ts';
import { RAW_COLLECTION } from '../product/contents.ts';
import type { Bench } from './row.ts';

/** More slots than one run holds. */
const SLOTS_PER_RUN = 12_000;

/** Parameters for placing holds as all partners, on `count` slots that no earlier run used. */
export function freshSlots({ product, apiKeys, venue, takeSlots }: Bench, count: number) {
  return { port: product.port, apiKeys, venue, firstSlot: takeSlots(count) };
}

/** A run that places holds on free slots. First deletes all data, or with `keepBookings` only ACTIVE holds. */
export function placeHolds(bench: Bench, { keepBookings = false } = {}): () => Promise<Run> {
  return async () => {
    await (keepBookings ? bench.contents.clearHolds() : bench.contents.clear());
    const params = freshSlots(bench, SLOTS_PER_RUN);
    return runOf(await bench.callProduct({ step: 'place-hold', params }), '201');
  };
}

/** The limit of `placeHolds`: a run that inserts the documents of holds one by one. */
export function insertHolds(bench: Bench): () => Promise<Run> {
  return async () => {
    await bench.contents.clear();
    const params = { ...rawCopies(bench), firstSlot: bench.takeSlots(SLOTS_PER_RUN) };
    return runOf(await bench.callLimit({ step: 'insert', params }), 'inserted');
  };
}

/** Parameters of the limits that write. */
export function rawCopies({ product, contents, venue, partnerIds }: Bench) {
  const { mongodbUri } = product;
  return { mongodbUri, collection: RAW_COLLECTION, originals: contents.originals, venue, partnerIds };
}
