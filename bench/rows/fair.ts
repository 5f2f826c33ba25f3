import { interleave } from '../compare.ts';
import { copyOf } from '../product/copies.ts';
import type { Venue } from '../product/slots.ts';
import { spreadOf } from '../statistics.ts';
import type { Bench, Row } from './row.ts';
import { addWaitingEvents } from './waiting-events.ts';
import { subscribeOnce } from './webhook-runs.ts';

const GOOD_EVENTS = 1000;
const HANGING_EVENTS = 500;
const TIMEOUT_MS = 60_000;

/** Delivers events to a good endpoint, alone and mixed with events for an endpoint that never responds. */
export const fairRow: Row<'fair'> = {
  name: 'fair',
  workers: [],
  measure: async (bench) => {
    await subscribeOnce(bench);
    const runs = await interleave(bench.runs, {
      alone: () => deliverGood(bench, undefined),
      among: async () => deliverGood(bench, await addHangingVenue(bench)),
    });
    const ratios = runs.among.map((ms, round) => ms / (runs.alone[round] ?? Number.NaN));
    const seconds = (all: readonly number[]) => all.map((ms) => (ms / 1000).toFixed(1)).join(', ');
    return {
      fair: { ...spreadOf(ratios), note: `alone ${seconds(runs.alone)} s, while 500 hang ${seconds(runs.among)} s` },
    };
  },
};

/** A venue of a new partner whose endpoint hangs. Endpoint and partner are new: no worker knows them as unhealthy. */
async function addHangingVenue(bench: Bench): Promise<Venue> {
  const partner = await bench.addPartner();
  const venue = await bench.addVenue([partner]);
  await bench.subscribe(partner, (await bench.receiver()).hangingUrl);
  return venue;
}

/** Milliseconds from the worker's start until the last event for the good endpoint arrives. */
async function deliverGood(bench: Bench, hangingVenue: Venue | undefined): Promise<number> {
  const { contents, product, venue, partnerIds } = bench;
  const receiver = await bench.receiver();
  await contents.clear();
  const total = hangingVenue === undefined ? GOOD_EVENTS : GOOD_EVENTS + HANGING_EVENTS;
  const copies = Array.from({ length: total }, (_, n) => {
    const copyVenue = hangingVenue !== undefined && n % 3 === 0 ? hangingVenue : venue;
    return copyOf(contents.originals.hold, { venue: copyVenue, partnerIds }, n);
  });
  await addWaitingEvents(bench, copies);
  await receiver.take();
  await product.runWorkers(['webhook-delivery']);
  const beganAt = Date.now();
  const isComplete = await receiver.waitFor(GOOD_EVENTS, TIMEOUT_MS);
  const { lastAt, holdIds } = await receiver.take();
  // Drop the hanging requests: a worker that stops would wait until they time out.
  await receiver.dropHanging();
  await product.runWorkers([]);
  if (!isComplete) throw new Error(`Of ${GOOD_EVENTS} good deliveries, ${holdIds.size} were received within a minute`);
  return lastAt - beganAt;
}
