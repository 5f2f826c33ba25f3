import { interleave, rateFigure } from '../compare.ts';
import type { Venue } from '../product/slots.ts';
import { holdAndRelease } from './hold-and-release.ts';
import type { Row } from './row.ts';

const FEW = 10;
const MANY = 1000;

/** One partner that sells slots of few venues in turn, and of many. */
export const growthVenuesRow: Row<'growth-venues'> = {
  name: 'growth-venues',
  workers: [],
  measure: async (bench) => {
    await bench.contents.clear();
    const resources = await bench.addSmallVenues(bench.partners.slice(0, 1), MANY);
    // Holds name a resource, whatever venue it is of.
    const of = (count: number): Venue => ({ id: '', resources: resources.slice(0, count) });
    await holdAndRelease(bench, of(MANY));
    const runs = await interleave(bench.runs, {
      few: () => holdAndRelease(bench, of(FEW)),
      many: () => holdAndRelease(bench, of(MANY)),
    });
    return { 'growth-venues': rateFigure(runs.few, runs.many) };
  },
};
