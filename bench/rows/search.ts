import type { Run } from '../compare.ts';
import { interleave, rateFigure, runOf } from '../compare.ts';
import type { Venue } from '../product/slots.ts';
import { dateOfDay } from '../product/slots.ts';
import type { Row } from './row.ts';

const VENUES = 20;
const DAY = 3;

/** The free slots of twenty venues in one call, compared with twenty calls for their availability. */
export const searchRow: Row<'search'> = {
  name: 'search',
  workers: [],
  measure: async (bench) => {
    await bench.contents.clear();
    const [partner] = bench.partners;
    if (partner === undefined) throw new Error('The bench has no partner');
    const venues: Venue[] = [];
    for (let number = 0; number < VENUES; number += 1) venues.push(await bench.addVenue([partner]));
    const get = async (paths: string[]) => {
      const params = { port: bench.product.port, apiKeys: [partner.apiKey], paths };
      return runOf(await bench.callProduct({ step: 'get', params }), '200');
    };
    const date = dateOfDay(DAY);
    const ids = venues.map(({ id }) => id).join(',');
    const search = () => get([`/api/v1/slots/search?date=${date}&venue_ids=${ids}`]);
    const each = async (): Promise<Run> => {
      const run = await get(venues.map(({ id }) => `/api/v1/slots/availability?venue_id=${id}&date=${date}`));
      return { ...run, perSecond: run.perSecond / VENUES };
    };
    for (const warm of [search, each]) await warm();
    const runs = await interleave(bench.runs, { search, each });
    return { search: rateFigure(runs.search, runs.each) };
  },
};
