import { interleave, rateFigure } from '../compare.ts';
import type { Venue } from '../product/slots.ts';
import { holdAndRelease } from './hold-and-release.ts';
import type { Row } from './row.ts';

const FEW = 10;
const MANY = 1000;

/** Holds of one partner at few venues in turn, and at many. */
export const growthVenuesRow: Row<'growth-venues'> = {
  name: 'growth-venues',
  workers: [],
  measure: async (bench) => {
    await bench.contents.clear();
    const resources = await bench.addSmallVenues(bench.partners.slice(0, 1), MANY);
    // Calls name only the resource of a slot, so one `Venue` can stand for all venues.
    const of = (count: number): Venue => ({ id: '', resources: resources.slice(0, count) });
    await holdAndRelease(bench, of(MANY));
    const runs = await interleave(bench.runs, {
      few: () => holdAndRelease(bench, of(FEW)),
      many: () => holdAndRelease(bench, of(MANY)),
    });
    return { 'growth-venues': rateFigure(runs.few, runs.many) };
  },
};
