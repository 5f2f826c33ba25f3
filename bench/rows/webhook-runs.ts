import type { Run } from '../compare.ts';
import { cpuFigure, interleave, rateFigure } from '../compare.ts';
import { perCall } from '../load/load.ts';
import type { Pids } from '../processes.ts';
import { startMeter } from '../processes.ts';
import type { Receiver } from '../receiver/receiver.ts';
import { freshSlots } from './place-holds.ts';
import type { Bench } from './row.ts';

/** The body size of the product's webhooks. */
export const BODY_BYTES = 700;
const POSTS = 20_000;
const SLOTS_PER_RUN = 5000;
const SETTLE_TIMEOUT_MS = 60_000;

/** The limit of deliveries: a run of signed posts that reads and records nothing. */
export async function postSigned(bench: Bench): Promise<Run> {
  const { postUrl } = await bench.receiver();
  const { perSecond, cpuUs, othersShare } = await bench.callLimit(
    {
      step: 'signed-post',
      params: { url: postUrl, bytes: BODY_BYTES },
      pace: { kind: 'count', count: POSTS, withinSeconds: bench.seconds * 2 },
    },
    // Meter only the sender, as for the product: neither figure includes the receiver's work.
    { client: bench.limitPid },
  );
  return { perSecond, cpuUs, othersShare };
}

/** Places up to `count` holds within about `withinSeconds`. Returns their number. */
export async function placeMany(bench: Bench, count: number, withinSeconds: number): Promise<number> {
  const params = freshSlots(bench, SLOTS_PER_RUN);
  const pace = { kind: 'count', count, withinSeconds } as const;
  const { outcomes } = await bench.callProduct({ step: 'place-hold', params, pace });
  return outcomes['201'] ?? 0;
}

/** The webhook sender to measure: the product or Outpost. */
type Sender = {
  pids: () => Pids;
  /** Waits until every delivery is recorded. False after `timeoutMs`. */
  untilSettled: (timeoutMs: number) => Promise<boolean>;
};

type WebhookRun = Run & { events: number; receivedTwice: number; seconds: number };

/**
 * Runs `begin`, which returns the number of its events, and waits until all are received and recorded. Measures events
 * per second until the last is received, and processor time until the last is recorded.
 */
export async function untilReceived(
  bench: Bench,
  receiver: Receiver,
  begin: () => Promise<number>,
  sender: Sender = { pids: bench.product.pids, untilSettled: bench.contents.untilSettled },
): Promise<WebhookRun> {
  await receiver.take();
  const beganAt = Date.now();
  const meter = startMeter(sender.pids(), bench.ownPids());
  const events = await begin();
  const isComplete =
    (await receiver.waitFor(events, SETTLE_TIMEOUT_MS)) && (await sender.untilSettled(SETTLE_TIMEOUT_MS));
  const cpuUse = meter();
  const { lastAt, arrivals, holdIds } = await receiver.take();
  if (!isComplete) throw new Error(`Of ${events} events, ${holdIds.size} were received within a minute`);
  const seconds = (lastAt - beganAt) / 1000;
  const { cpuUs, othersShare } = perCall(cpuUse, events);
  return { perSecond: events / seconds, cpuUs, othersShare, events, receivedTwice: arrivals - events, seconds };
}

/** Alternates runs of `deliver` on an empty database with runs of the limit, after an uncounted warm-up of both. */
export async function measureWebhooks(bench: Bench, deliver: (receiver: Receiver) => Promise<WebhookRun>) {
  await subscribeOnce(bench);
  const receiver = await bench.receiver();
  const product = async () => {
    await bench.contents.clear();
    return deliver(receiver);
  };
  const limit = () => postSigned(bench);
  await product();
  await limit();
  const runs = await interleave(bench.runs, { limit, product });
  return {
    rate: { ...rateFigure(runs.product, runs.limit), note: noteOf(runs.product) },
    cpu: cpuFigure(runs.product, runs.limit),
  };
}

const subscribedBenches = new WeakSet<object>();

/** Subscribes the first partner, unless it is subscribed. Each hold at the venue then causes one delivery. */
export async function subscribeOnce(bench: Bench): Promise<void> {
  const [partner] = bench.partners;
  if (partner === undefined || subscribedBenches.has(bench.partners)) return;
  subscribedBenches.add(bench.partners);
  await bench.subscribe(partner, (await bench.receiver()).url);
}

function noteOf(runs: readonly WebhookRun[]): string {
  const twice = runs.reduce((all, run) => all + run.receivedTwice, 0);
  return `rounds of ${runs.map(({ events }) => events).join(', ')} events, ${twice} received twice`;
}
