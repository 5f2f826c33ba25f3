import { interleave, rateFigure, runOf } from '../compare.ts';
import { startConstant } from '../constant/constant.ts';
import { copyOf } from '../product/copies.ts';
import { dateOfDay, SLOTS_OF_DAY } from '../product/slots.ts';
import { freshSlots } from './place-holds.ts';
import type { Bench, Row } from './row.ts';

const DAY = 2;
const SIDE_CALLERS = 8;
const HOLDS_PER_SECOND = 30;
const SLOTS_PER_RUN = 1000;

/** Availability of one day at a venue with 20 resources and 16 starts. A third of the slots is taken. */
export const availabilityRow: Row<'availability' | 'availability-304'> = {
  name: 'availability',
  workers: [],
  measure: async (bench) => {
    const { apiKeys, venue, product: service } = bench;
    await takeAThird(bench);
    const path = `/api/v1/slots/availability?venue_id=${venue.id}&date=${dateOfDay(DAY)}`;
    const response = await fetch(`${service.url}${path}`, { headers: { 'X-API-Key': apiKeys[0] ?? '' } });
    const etag = response.headers.get('etag') ?? '';
    const server = await startConstant(bench, { body: await response.text(), etag });

    const get = (conditional: { etag?: string } = {}) => {
      const params = { port: service.port, apiKeys, paths: [path], ...conditional };
      return bench.callProduct({ step: 'get', params });
    };
    const limit = async () => {
      const params = { port: server.port, apiKeys: [], paths: ['/constant'] };
      return runOf(await bench.callLimit({ step: 'get', params }, { server: server.pid }), '200');
    };
    const product = async () => {
      const holds = placeConcurrently(bench);
      const run = runOf(await get(), '200');
      await holds.end();
      return run;
    };
    const notModified = async () => runOf(await get({ etag }), '304');
    // Measure 304 first: holds change the day's ETag.
    for (const warm of [limit, notModified]) await warm();
    const unchanged = await interleave(bench.runs, { limit, product: notModified });
    const changing = await interleave(bench.runs, { limit, product });
    await server.stop();
    return {
      availability: rateFigure(changing.product, changing.limit),
      'availability-304': rateFigure(unchanged.product, unchanged.limit),
    };
  },
};

async function takeAThird({ contents, venue, partnerIds }: Bench): Promise<void> {
  await contents.clear();
  const perDay = venue.resources.length * SLOTS_OF_DAY;
  const { hold, booking } = contents.originals;
  const numbers = Array.from({ length: Math.ceil(perDay / 3) }, (_, n) => n * 3);
  const copies = numbers.map((number) =>
    copyOf(number % 2 === 0 ? hold : booking, { venue, partnerIds }, DAY * perDay + number),
  );
  await contents.insert('reservations', copies);
}

/** Places holds at the venue, on the measured day and on others, until `end`. */
function placeConcurrently(bench: Bench): { end: () => Promise<void> } {
  const { sideLoad } = bench;
  const pace = { kind: 'rate', perSecond: HOLDS_PER_SECOND, seconds: 60 } as const;
  const params = freshSlots(bench, SLOTS_PER_RUN);
  const placing = sideLoad.run({ step: 'place-hold', params, callers: SIDE_CALLERS, pace }, {});
  return {
    end: async () => {
      sideLoad.cut();
      await placing;
    },
  };
}
