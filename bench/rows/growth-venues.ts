import { interleave, rateFigure } from '../compare.ts';
import type { Venue } from '../product/slots.ts';
import { holdAndRelease } from './hold-and-release.ts';
import type { Row } from './row.ts';

const FEW_VENUES = 10;
const MANY_VENUES = 1000;

/** One partner places holds at few venues in turn, or at many. */
export const growthVenuesRow: Row<'growth-venues'> = {
  name: 'growth-venues',
  workers: [],
  measure: async (bench) => {
    await bench.contents.clear();
    const resources = await bench.addSmallVenues(bench.partners.slice(0, 1), MANY_VENUES);
    // A slot id contains the resource and not the venue, so one `Venue` can stand for all venues.
    const venues = (count: number): Venue => ({ id: '', resources: resources.slice(0, count) });
    await holdAndRelease(bench, venues(MANY_VENUES));
    const runs = await interleave(bench.runs, {
      few: () => holdAndRelease(bench, venues(FEW_VENUES)),
      many: () => holdAndRelease(bench, venues(MANY_VENUES)),
    });
    return { 'growth-venues': rateFigure(runs.few, runs.many) };
  },
};
