/**
 * `node --import tsx bench/peers/peers.ts`: compares this product, the webhook sender Outpost and a bare signed POST.
 * Each round starts Outpost with empty databases and ends it, so that it does not run while the product is measured.
 */

import { interleave } from '../compare.ts';
import type { Pace } from '../load/run-load.ts';
import type { Measurement } from '../measurement.ts';
import { openBench } from '../open-bench.ts';
import { WORKERS } from '../product/product.ts';
import { deliverCommitted } from '../rows/delivery.ts';
import { holdAtPace, paceOf } from '../rows/paced.ts';
import type { Bench } from '../rows/row.ts';
import { BODY_BYTES, placeMany, postSigned, subscribeOnce, untilReceived } from '../rows/webhook-runs.ts';
import { runForPage } from '../run-for-page.ts';
import { latencyOf } from '../statistics.ts';
import type { Outpost } from './outpost.ts';
import { withOutpost } from './outpost.ts';
import type { ProgramFolders } from './programs.ts';
import { findPrograms } from './programs.ts';
import type { PeersReport, SenderRun, Senders } from './report.ts';
import { asTable } from './report.ts';

const USAGE = `node --import tsx bench/peers/peers.ts [options]

  --runs N       measurements of each sender; the median counts (3)
  --events N     events that a sender delivers in each run (5000)
  --json FILE    writes the figures
  --write        puts the table into docs/evidence/performance.md

Environment: OUTPOST_BIN, RABBITMQ_BIN, POSTGRES_BIN, folders of programs.
Exits with 3 if a program is missing, and says how to get it.
`;

const MISSING_PROGRAMS_EXIT_CODE = 3;
const WARM_EVENTS = 1000;
const STEADY_RATE = 200;
const STEADY_TIMEOUT_MS = 30_000;

/** Measures each sender once per round. */
async function measure(bench: Bench, programs: ProgramFolders, events: number): Promise<Senders> {
  const receiver = await bench.receiver();
  await subscribeOnce(bench);
  const limit = async (): Promise<SenderRun> => {
    const burst = await postSigned(bench);
    const params = { url: receiver.postUrl, bytes: BODY_BYTES };
    const { latencyMs } = await bench.callLimit({ step: 'signed-post', params, pace: paceOf(STEADY_RATE) });
    return { ...burst, age: latencyMs };
  };
  const outpost = () =>
    withOutpost(programs, receiver.url, bench.onStop, (started) => measureOutpost(bench, started, events));
  const delivery = async (count = events): Promise<SenderRun> => {
    await bench.contents.clear();
    return deliverCommitted(bench, receiver, count);
  };
  const whole = async (): Promise<SenderRun> => {
    await bench.contents.clear();
    const burst = await untilReceived(bench, receiver, () => placeMany(bench, events, bench.seconds * 2));
    return { ...burst, age: (await holdAtPace(bench, STEADY_RATE)).age };
  };
  await limit();
  await delivery(WARM_EVENTS);
  return interleave(bench.runs, { limit, outpost, delivery: () => delivery(), whole });
}

async function measureOutpost(bench: Bench, outpost: Outpost, events: number): Promise<SenderRun> {
  const { port, apiKey, pids, untilLogged } = outpost;
  const receiver = await bench.receiver();
  let published = 0;
  const publish = async (pace: Pace): Promise<number> => {
    const params = { port, apiKey, bytes: BODY_BYTES };
    const { outcomes } = await bench.callLimit({ step: 'publish', params, pace });
    const accepted = outcomes['202'] ?? 0;
    published += accepted;
    return accepted;
  };
  const publishBurst = (count: number) => {
    const pace = { kind: 'count', count, withinSeconds: bench.seconds * 2 } as const;
    const untilSettled = (timeoutMs: number) => untilLogged(published, timeoutMs);
    return untilReceived(bench, receiver, () => publish(pace), { pids, untilSettled });
  };
  await publishBurst(WARM_EVENTS);
  const burst = await publishBurst(events);
  await receiver.take();
  if (!(await receiver.waitFor(await publish(paceOf(STEADY_RATE)), STEADY_TIMEOUT_MS)))
    throw new Error('Outpost has not delivered all events that were published at a steady rate');
  return { ...burst, age: latencyOf((await receiver.take()).ages) };
}

const { folders, missing } = await findPrograms(process.env);
if (missing !== undefined && !process.argv.includes('--help')) {
  console.error(missing);
  process.exit(MISSING_PROGRAMS_EXIT_CODE);
}
await runForPage({
  name: 'peers',
  page: 'docs/evidence/performance.md',
  usage: USAGE,
  asText: asTable,
  asMarkdown: asTable,
  isMissed: () => false,
  counts: { runs: 3, events: 5000 },
  texts: [],
  measure: async ({ runs, events }, onStop): Promise<Omit<PeersReport, keyof Measurement>> => {
    const bench = await openBench({ runs, seconds: 60, bookings: 0, profile: undefined }, onStop);
    await bench.product.runWorkers(WORKERS);
    return { runs, events, senders: await measure(bench, folders, events) };
  },
});
