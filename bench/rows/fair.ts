import { interleave } from '../compare.ts';
import { copyOf } from '../product/copies.ts';
import type { Venue } from '../product/slots.ts';
import { spreadOf } from '../statistics.ts';
import type { Bench, Row } from './row.ts';
import { addWaitingEvents } from './waiting-events.ts';
import { subscribeOnce } from './webhook-runs.ts';

const GOOD = 1000;
const HANGING = 500;
const WITHIN_MS = 60_000;

/** Delivers events to a good endpoint, alone and among events for an endpoint that never responds. */
export const fairRow: Row<'fair'> = {
  name: 'fair',
  workers: [],
  measure: async (bench) => {
    await subscribeOnce(bench);
    const runs = await interleave(bench.runs, {
      alone: () => deliverGood(bench, undefined),
      among: async () => deliverGood(bench, await addSickVenue(bench)),
    });
    const ratios = runs.among.map((ms, round) => ms / (runs.alone[round] ?? Number.NaN));
    const seconds = (all: readonly number[]) => all.map((ms) => (ms / 1000).toFixed(1)).join(', ');
    return {
      fair: { ...spreadOf(ratios), note: `alone ${seconds(runs.alone)} s, among ${seconds(runs.among)} s` },
    };
  },
};

/** A venue of a new partner whose endpoint hangs; new, so that no worker knows it is unhealthy. */
async function addSickVenue(bench: Bench): Promise<Venue> {
  const partner = await bench.addPartner();
  const venue = await bench.addVenue([partner]);
  await bench.subscribe(partner, (await bench.receiver()).hangingUrl);
  return venue;
}

/** Milliseconds from the worker's start until the last event for the good endpoint arrives. */
async function deliverGood(bench: Bench, sick: Venue | undefined): Promise<number> {
  const { contents, product, venue, partnerIds } = bench;
  const receiver = await bench.receiver();
  await contents.clear();
  const total = sick === undefined ? GOOD : GOOD + HANGING;
  const copies = Array.from({ length: total }, (_, n) => {
    const isHanging = sick !== undefined && n % 3 === 0;
    return copyOf(contents.originals.hold, { venue: isHanging ? sick : venue, partnerIds }, n);
  });
  await addWaitingEvents(bench, copies);
  await receiver.take();
  await product.runWorkers(['webhook-delivery']);
  const beganAt = Date.now();
  const isComplete = await receiver.waitFor(GOOD, WITHIN_MS);
  const { lastAt, holdIds } = await receiver.take();
  // Close the hanging requests: the worker would wait for their timeouts before it stops.
  await receiver.dropHanging();
  await product.runWorkers([]);
  if (!isComplete) throw new Error(`Of ${GOOD} good deliveries, ${holdIds.size} were received within a minute`);
  return lastAt - beganAt;
}
