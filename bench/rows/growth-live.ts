import { interleave, rateFigure } from '../compare.ts';
import { copyOf } from '../product/copies.ts';
import { DAYS } from '../product/slots.ts';
import { holdAndRelease } from './hold-and-release.ts';
import type { Bench, Row } from './row.ts';

const MANY_HOLDS = 400;
const DAY_MS = 86_400_000;

/** One partner places holds while it has 1 other active hold, or 400. */
export const growthLiveRow: Row<'growth-live'> = {
  name: 'growth-live',
  workers: [],
  measure: async (bench) => {
    await holdAndRelease(bench, bench.venue);
    const few = () => withLiveHolds(bench, 1);
    const many = () => withLiveHolds(bench, MANY_HOLDS);
    const runs = await interleave(bench.runs, { few, many });
    return { 'growth-live': rateFigure(runs.few, runs.many) };
  },
};

async function withLiveHolds(bench: Bench, count: number) {
  const { contents, venue, partnerIds } = bench;
  await contents.clear();
  const target = { venue, partnerIds: partnerIds.slice(0, 1) };
  const holds = Array.from({ length: count }, (_, n) => ({
    ...copyOf(contents.originals.hold, target, n),
    // Claim cells that no call needs, so that no call conflicts with these holds.
    cells: [`elsewhere@${n}`],
    slotStart: new Date(Date.now() + (DAYS + 30) * DAY_MS),
  }));
  await contents.insert('reservations', holds);
  return holdAndRelease(bench, venue);
}
