import type { Run } from '../compare.ts';
import { cpuFigure, interleave, rateFigure } from '../compare.ts';
import { perCall } from '../load/load.ts';
import type { Pids } from '../processes.ts';
import { startMeter } from '../processes.ts';
import { slotCount } from '../product/slots.ts';
import type { Receiver } from '../receiver/receiver.ts';
import type { Bench } from './row.ts';

/** The body size of the product's webhooks. */
export const BODY_BYTES = 700;
const POSTS = 20_000;
const SLOTS_OF_RUN = 5000;
const SETTLED_WITHIN_MS = 60_000;

/** The limit of deliveries: a run of signed posts without reads or records. */
export async function postSigned(bench: Bench): Promise<Run> {
  const { postUrl } = await bench.receiver();
  const { perSecond, cpuUs, othersShare } = await bench.callLimit(
    {
      step: 'signed-post',
      params: { url: postUrl, bytes: BODY_BYTES },
      pace: { kind: 'count', count: POSTS, withinSeconds: bench.seconds * 2 },
    },
    // Count the sender alone, as for the product: the receiver's work belongs to neither.
    { client: bench.limitPid },
  );
  return { perSecond, cpuUs, othersShare };
}

/** Places at most `count` holds, all begun within `withinSeconds`. Returns how many. */
export async function placeMany(bench: Bench, count: number, withinSeconds: number): Promise<number> {
  const { product, apiKeys, venue } = bench;
  const first = bench.takeSlots(SLOTS_OF_RUN) % slotCount(venue);
  const params = { port: product.port, apiKeys, venue, first };
  const pace = { kind: 'count', count, withinSeconds } as const;
  const { outcomes } = await bench.callProduct({ step: 'place-hold', params, pace });
  return outcomes['201'] ?? 0;
}

/** The product or another sender. */
type Sender = {
  pids: () => Pids;
  /** Waits until every delivery is recorded. False after `withinMs`. */
  untilSettled: (withinMs: number) => Promise<boolean>;
};

type Settled = Run & { events: number; receivedTwice: number; seconds: number };

/**
 * Runs `begin` and waits until its events are received and recorded. Measures events per second until the last is
 * received, and processor time until the last is recorded.
 */
export async function untilReceived(
  bench: Bench,
  receiver: Receiver,
  begin: () => Promise<number>,
  sender: Sender = { pids: bench.product.pids, untilSettled: bench.contents.untilSettled },
): Promise<Settled> {
  await receiver.take();
  const beganAt = Date.now();
  const meter = startMeter(sender.pids(), bench.ownPids());
  const events = await begin();
  const isComplete =
    (await receiver.waitFor(events, SETTLED_WITHIN_MS)) && (await sender.untilSettled(SETTLED_WITHIN_MS));
  const used = meter();
  const { lastAt, hits, holdIds } = await receiver.take();
  if (!isComplete) throw new Error(`Of ${events} events, ${holdIds.size} were received within a minute`);
  const seconds = (lastAt - beganAt) / 1000;
  const { cpuUs, othersShare } = perCall(used, events);
  return { perSecond: events / seconds, cpuUs, othersShare, events, receivedTwice: hits - events, seconds };
}

/** Alternates runs of `product` on an empty database with runs of the limit. The first of both are not counted. */
export async function measureWebhooks(bench: Bench, product: (receiver: Receiver) => Promise<Settled>) {
  await subscribeOnce(bench);
  const receiver = await bench.receiver();
  const measured = async () => {
    await bench.contents.clear();
    return product(receiver);
  };
  const limit = () => postSigned(bench);
  await measured();
  await limit();
  const runs = await interleave(bench.runs, { limit, product: measured });
  return {
    rate: { ...rateFigure(runs.product, runs.limit), note: noteOf(runs.product) },
    cpu: cpuFigure(runs.product, runs.limit),
  };
}

const subscribed = new WeakSet<object>();

/** Subscribes the first partner, so that each hold at the venue makes one delivery. */
export async function subscribeOnce(bench: Bench): Promise<void> {
  const [partner] = bench.partners;
  if (partner === undefined || subscribed.has(bench.partners)) return;
  subscribed.add(bench.partners);
  await bench.subscribe(partner, (await bench.receiver()).url);
}

function noteOf(runs: readonly Settled[]): string {
  const twice = runs.reduce((all, run) => all + run.receivedTwice, 0);
  return `${runs.map(({ events }) => events).join(', ')} events, ${twice} received twice`;
}
