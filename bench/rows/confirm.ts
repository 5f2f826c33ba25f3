import { interleave, rateFigure, runOf } from '../compare.ts';
import { RAW_COLLECTION } from '../product/contents.ts';
import { rawCopies } from './place-holds.ts';
import type { Bench, Row } from './row.ts';

/** More holds than one run confirms. */
const HOLDS = 14_000;

/** Confirms existing holds. */
export const confirmRow: Row<'confirm'> = {
  name: 'confirm',
  workers: [],
  measure: async (bench) => {
    const variants = { limit: () => updateHolds(bench), product: () => confirmHolds(bench) };
    await variants.product();
    const runs = await interleave(bench.runs, variants);
    return { confirm: rateFigure(runs.product, runs.limit) };
  },
};

async function updateHolds(bench: Bench) {
  const { contents } = bench;
  await contents.clear();
  const copies = await contents.add(RAW_COLLECTION, contents.originals.hold, 0, HOLDS);
  const params = { ...rawCopies(bench), firstSlot: 0, holdIds: copies.map(({ _id }) => _id) };
  return runOf(await bench.callLimit({ step: 'update', params }), 'updated');
}

async function confirmHolds(bench: Bench) {
  const { contents, product, apiKeys, partnerIds } = bench;
  await contents.clear();
  const copies = await contents.add('reservations', contents.originals.hold, 0, HOLDS);
  const holds = partnerIds.map((partnerId) =>
    copies.filter((copy) => copy.partnerId === partnerId).map(({ _id }) => _id),
  );
  const params = { port: product.port, apiKeys, holds };
  return runOf(await bench.callProduct({ step: 'confirm', params }), '201');
}
