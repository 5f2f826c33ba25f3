import type { Run } from '../compare.ts';
import { rateFigure, runOf } from '../compare.ts';
import { dateOfDay } from '../product/slots.ts';
import { addPastBookings } from './past-bookings.ts';
import { placeHolds } from './place-holds.ts';
import type { Bench, Row } from './row.ts';

const FEW_BOOKINGS = 1000;

/** Holds and availability at a venue with few past bookings, then with many. */
export const growthKeptRow: Row<'growth-kept-hold' | 'growth-kept-availability'> = {
  name: 'growth-kept',
  workers: [],
  measure: async (bench) => {
    await bench.contents.clear();
    await addPastBookings(bench, 0, FEW_BOOKINGS);
    await measureBoth(bench, 1); // a warm-up
    const few = await measureBoth(bench, bench.runs);
    await addPastBookings(bench, FEW_BOOKINGS, bench.bookings);
    const many = await measureBoth(bench, bench.runs);
    await bench.contents.clear();
    const note = `1,000 ÷ ${bench.bookings.toLocaleString('en-US')} past bookings`;
    return {
      'growth-kept-hold': { ...rateFigure(few.hold, many.hold), note },
      'growth-kept-availability': { ...rateFigure(few.availability, many.availability), note },
    };
  },
};

async function measureBoth(bench: Bench, runs: number) {
  const { product, apiKeys, venue, callProduct } = bench;
  const paths = [`/api/v1/slots/availability?venue_id=${venue.id}&date=${dateOfDay(3)}`];
  const results: Record<'hold' | 'availability', Run[]> = { hold: [], availability: [] };
  for (let run = 0; run < runs; run += 1) {
    results.hold.push(await placeHolds(bench, { keepBookings: true })());
    const reads = await callProduct({ step: 'get', params: { port: product.port, apiKeys, paths } });
    results.availability.push(runOf(reads, '200'));
  }
  return results;
}
