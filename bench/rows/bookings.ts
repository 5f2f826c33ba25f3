import { interleave, rateFigure, runOf } from '../compare.ts';
import { addPastBookings } from './past-bookings.ts';
import type { Row } from './row.ts';

const PAGE_SIZE = 50;

/** The first page of the bookings of a partner that has many. */
export const bookingsRow: Row<'bookings'> = {
  name: 'bookings',
  workers: [],
  measure: async (bench) => {
    const { product: service, partners, contents } = bench;
    await contents.clear();
    await addPastBookings(bench, 0, bench.bookings);
    const [partner = { id: '', apiKey: '' }] = partners;
    const limit = async () => {
      const params = {
        mongodbUri: service.mongodbUri,
        collection: 'reservations',
        partnerId: partner.id,
        limit: PAGE_SIZE,
      };
      return runOf(await bench.callLimit({ step: 'find-bookings', params }), 'found');
    };
    const product = async () => {
      const paths = [`/api/v1/bookings?limit=${PAGE_SIZE}`];
      const params = { port: service.port, apiKeys: [partner.apiKey], paths };
      return runOf(await bench.callProduct({ step: 'get', params }), '200');
    };
    await product();
    const runs = await interleave(bench.runs, { limit, product });
    await contents.clear();
    return {
      bookings: {
        ...rateFigure(runs.product, runs.limit),
        note: `the partner has ${bench.bookings.toLocaleString('en-US')}`,
      },
    };
  },
};
