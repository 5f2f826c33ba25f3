/**
 * `npm run bench:scale`: what a second and a fourth process add. One, two and four webhook delivery workers send to a receiver that takes
 * 200 ms, and as many event dispatchers take committed events to the log and to deliveries: beside MongoDB on one machine, which one of
 * them nearly fills, and from where each message to MongoDB takes 50 ms. Beside each rate stands who had how much of a core, so that a
 * doubling that is missed is explained. Some four minutes on two cores.
 */

import { Queue } from 'bullmq';
import { eventDispatchJobs } from '../src/queues/jobs.ts';
import type { Distance } from './distance/distance.ts';
import { startDistance } from './distance/distance.ts';
import { openBench, say } from './open-bench.ts';
import type { Pids } from './processes.ts';
import { startMeter } from './processes.ts';
import { copyOf } from './product/copies.ts';
import type { WorkerName } from './product/product.ts';
import type { Bench } from './rows/row.ts';
import { placeMany } from './rows/webhook-runs.ts';
import { BenchUsageError, runForPage } from './run-for-page.ts';
import type { ScaleReport, ScaleRun } from './scale-report.ts';
import { asMarkdown, asText, isMissed } from './scale-report.ts';

const USAGE = `npm run bench:scale -- [options]

  --only NAME    delivery, dispatch or distant-dispatch
  --runs N       how often each is measured; the median counts (3)
  --profile DIR  a processor profile of each process
  --json FILE    writes the figures
  --write        puts the table into docs/scaling.md
  --check        exits with 1 where a doubling misses its goal
`;

const COUNTS = [1, 2, 4] as const;
/**
 * One endpoint may have a quarter of it (ADR 0016): 5 sends under way, 25 a second at 200 ms. Four workers so take one core of two; with 80,
 * what waits for a core would be among what is measured.
 */
const CONCURRENCY = 20;
const SENDS_OF_ONE = 250;
/** Events for each dispatcher, of which a second's work lies in the jobs that it has in hand. */
const EVENTS_OF_ONE = { dispatch: 8000, 'distant-dispatch': 800 } as const;
/** To MongoDB and back, each: far enough that four dispatchers leave some of two cores. */
const DISTANCE_MS = 50;
const WITHIN_MS = 60_000;
const PLACED_WITHIN_SECONDS = 20;
const GOALS = { delivery: 1.8, dispatch: 1.6, 'distant-dispatch': 1.6 } as const;
type Subject = keyof typeof GOALS;
const NAMES: Record<Subject, string> = {
  delivery: 'webhook-delivery',
  dispatch: 'event-dispatch',
  'distant-dispatch': `event-dispatch at ${DISTANCE_MS} ms`,
};

const times = (name: WorkerName, count: number): WorkerName[] => Array.from({ length: count }, () => name);

/** What of a core each kind of process had in a run, 1 being a whole one. */
function coresOf(us: Record<string, number>, seconds: number): Record<string, number> {
  const cores: Record<string, number> = {};
  for (const [label, used] of Object.entries(us)) {
    const kind = label.replace(/ \d+$/, '');
    cores[kind] = (cores[kind] ?? 0) + used / 1e6 / seconds;
  }
  return cores;
}

/** Measures `work` from when the frozen processes of `name` go on. */
async function measure(
  bench: Bench,
  name: WorkerName,
  count: number,
  work: () => Promise<number>,
  beside: Pids = {},
): Promise<ScaleRun> {
  const pids = { ...bench.product.pids(), ...beside };
  const own = bench.ownPids().filter((pid) => !Object.values(pids).includes(pid));
  const meter = startMeter({ ...pids, ...Object.fromEntries(own.map((pid, n) => [`benchmark ${n}`, pid])) });
  const beganAt = performance.now();
  bench.product.thaw([name]);
  const done = await work();
  const seconds = (performance.now() - beganAt) / 1000;
  const { us, othersShare } = meter();
  return { count, perSecond: done / seconds, cores: coresOf(us, seconds), othersShare };
}

async function place(bench: Bench, count: number): Promise<number> {
  let placed = 0;
  for (let again = 0; again < 4 && placed < count; again += 1)
    placed += await placeMany(bench, count - placed, PLACED_WITHIN_SECONDS);
  if (placed < count) throw new Error(`Of ${count} holds only ${placed} were placed`);
  return placed;
}

async function sendBy(bench: Bench, count: number): Promise<ScaleRun> {
  const { product, contents } = bench;
  const [receiver, name] = [await bench.receiver(), 'webhook-delivery' as const];
  await contents.clear();
  await product.runWorkers(['event-dispatch', ...times(name, count)]);
  // What the first deliveries of a process cost is not counted.
  await place(bench, 40 * count);
  if (!(await contents.untilSettled(WITHIN_MS))) throw new Error('Deliveries were not sent within a minute');
  product.freeze([name]);
  const events = await place(bench, SENDS_OF_ONE * count);
  if (!(await contents.untilDispatched(events, WITHIN_MS)))
    throw new Error('Events were not dispatched within a minute');
  await receiver.take();
  return measure(bench, name, count, async () => {
    if (!(await receiver.waitFor(events, WITHIN_MS)))
      throw new Error('Deliveries were not sent within a minute');
    return events;
  });
}

/**
 * Commits events of holds that have ended, with their jobs, one of up to 50 of them or one of each; returns how many. Sweeps leave them
 * alone: they are of one process.
 */
async function commitEvents(
  { contents, product, venue, partnerIds }: Bench,
  count: number,
  areJobsShared: boolean,
): Promise<number> {
  const { holdOrdinal: _ordinal, ...hold } = contents.originals.hold;
  const laterThanSweeps = new Date(Date.now() + 2 * WITHIN_MS);
  const rows = Array.from({ length: count }, (_, n) => ({
    ...copyOf(hold, { venue, partnerIds }, n),
    ...{ status: 'RELEASED' as const, claimed: false, outboxSince: laterThanSweeps },
  }));
  await contents.insert('reservations', rows);
  const queue = new Queue('event-dispatch', { connection: { url: product.redisUrl }, prefix: '{pbs}' });
  const waiting = rows.map(({ _id, outbox }) => ({ reservationId: _id, eventId: outbox[0]?.eventId ?? '' }));
  await queue.addBulk(
    areJobsShared ? eventDispatchJobs(waiting) : waiting.flatMap((each) => eventDispatchJobs([each])),
  );
  await queue.close();
  return count;
}

async function dispatchBy(
  bench: Bench,
  count: number,
  eventsOfOne: number,
  distance?: Distance,
): Promise<ScaleRun> {
  const { product, contents } = bench;
  const name = 'event-dispatch';
  // Far away a batch of many leaves too little of two cores for four.
  const areJobsShared = distance === undefined;
  const untilDispatched = async (events: number) => {
    if (!(await contents.untilDispatched(events, WITHIN_MS)))
      throw new Error('Events were not dispatched within a minute');
  };
  await contents.clear();
  await product.runWorkers([]);
  await product.runWorkers(times(name, count), distance && { MONGODB_URI: distance.uri });
  const first = await commitEvents(bench, (eventsOfOne / 4) * count, areJobsShared);
  await untilDispatched(first);
  product.freeze([name]);
  const events = await commitEvents(bench, eventsOfOne * count, areJobsShared);
  const work = async () => {
    await untilDispatched(first + events);
    return events;
  };
  return measure(bench, name, count, work, distance && { distance: distance.pid });
}

/** How so many processes of a subject are measured. */
async function measuresOf(bench: Bench): Promise<Record<Subject, (count: number) => Promise<ScaleRun>>> {
  const distance = await startDistance(bench.product.mongodbUri, DISTANCE_MS);
  bench.onStop(distance.stop);
  return {
    delivery: (count) => sendBy(bench, count),
    dispatch: (count) => dispatchBy(bench, count, EVENTS_OF_ONE.dispatch),
    'distant-dispatch': (count) => dispatchBy(bench, count, EVENTS_OF_ONE['distant-dispatch'], distance),
  };
}

function middleOf(runs: readonly ScaleRun[]): ScaleRun {
  const middle = runs.toSorted((a, b) => a.perSecond - b.perSecond)[Math.floor((runs.length - 1) / 2)];
  if (middle === undefined) throw new Error('Nothing was measured');
  return middle;
}

async function measureAll(
  bench: Bench,
  subjects: readonly Subject[],
  runs: number,
): Promise<ScaleReport['rows']> {
  const receiver = await bench.receiver();
  const [partner] = bench.partners;
  if (partner !== undefined) await bench.subscribe(partner, receiver.slowUrl);
  const measures = await measuresOf(bench);
  const rows: ScaleReport['rows'] = [];
  for (const subject of subjects) {
    const found = new Map<number, ScaleRun[]>(COUNTS.map((count) => [count, []]));
    for (let run = 0; run < runs; run += 1)
      for (const count of COUNTS) {
        const one = await measures[subject](count);
        found.get(count)?.push(one);
        say(`${subject} by ${count}: ${one.perSecond.toFixed(0)}/s`);
      }
    const goal = GOALS[subject];
    rows.push({
      subject: NAMES[subject],
      goal,
      runs: COUNTS.map((count) => middleOf(found.get(count) ?? [])),
    });
  }
  return rows;
}

await runForPage({
  ...{ script: 'bench:scale', usage: USAGE, asText, asMarkdown, isMissed },
  counts: { runs: 3 },
  texts: ['only', 'profile'],
  measure: async ({ runs, only, profile }, onStop) => {
    const all = Object.keys(GOALS) as Subject[];
    const subjects = all.filter((name) => only === undefined || only === name);
    if (subjects.length === 0)
      throw new BenchUsageError(`--only must be ${all.join(' or ')}, and is ${only}`);
    const options = {
      ...{ runs, seconds: 1, bookings: 0, profile },
      settings: { WEBHOOK_CONCURRENCY: String(CONCURRENCY) },
    };
    const bench = await openBench(options, onStop);
    return { rows: await measureAll(bench, subjects, runs), concurrency: CONCURRENCY };
  },
});
