/**
 * `node --import tsx bench/scale.ts`: measures how much throughput additional webhook delivery processes add. One,
 * two and four processes deliver committed events in three set-ups: to a receiver that takes 200 ms; to a receiver that
 * responds at once (one process then nearly fills the machine); and to the fast receiver with 50 ms of latency to
 * MongoDB. The CPU use of each process explains missed goals. Takes about four minutes on two cores.
 */

import { byKind } from './compare.ts';
import type { Distance } from './distance/distance.ts';
import { startDistance } from './distance/distance.ts';
import { openBench, say } from './open-bench.ts';
import { startMeter } from './processes.ts';
import { copyOf } from './product/copies.ts';
import type { CpuUs } from './report.ts';
import type { Bench } from './rows/row.ts';
import { addWaitingEvents } from './rows/waiting-events.ts';
import { BenchUsageError, runForPage } from './run-for-page.ts';
import type { ScaleReport, ScaleRun } from './scale-report.ts';
import { asMarkdown, asText, isMissed } from './scale-report.ts';

const USAGE = `node --import tsx bench/scale.ts [options]

  --only NAME    slow-receiver, backlog or distant-backlog
  --runs N       measurements of each figure; the median counts (3)
  --profile DIR  writes a CPU profile of each process
  --json FILE    writes the figures
  --write        puts the table into docs/evidence/scaling.md
  --check        exits with 1 if twice the processes miss the goal
`;

const COUNTS = [1, 2, 4] as const;
/**
 * One endpoint gets a quarter of a worker's concurrency (ADR 0012): 5 concurrent sends, 25 per second at 200 ms. Four
 * workers then use one core of two. With a concurrency of 80, the workers would wait for a core, and the figures would
 * include that wait.
 */
const CONCURRENCY = 20;
const DISTANCE_MS = 50;
const TIMEOUT_MS = 60_000;

type Subject = {
  name: string;
  label: string;
  /** The factor that twice the processes must reach. */
  goal: number;
  endpoint: 'url' | 'slowUrl';
  /** Events per process. */
  events: number;
  /** 1 if jobs of 50 events would not spread evenly over the processes, or would fill two cores. */
  eventsPerJob: 1 | 50;
  settings: Record<string, string>;
  distance?: Distance;
};

const subjectsWith = (distance: Distance): Subject[] => [
  {
    name: 'slow-receiver',
    label: 'slow receiver',
    goal: 1.8,
    endpoint: 'slowUrl',
    events: 250,
    eventsPerJob: 1,
    settings: { WEBHOOK_CONCURRENCY: String(CONCURRENCY) },
  },
  {
    name: 'backlog',
    label: 'backlog',
    goal: 1.6,
    endpoint: 'url',
    events: 2000,
    eventsPerJob: 50,
    settings: {},
  },
  {
    name: 'distant-backlog',
    label: `backlog at ${DISTANCE_MS} ms`,
    goal: 1.6,
    endpoint: 'url',
    events: 400,
    eventsPerJob: 1,
    settings: { MONGODB_URI: distance.uri },
    distance,
  },
];

/** CPU use of each kind of process, in cores. */
function coresOf(us: CpuUs, seconds: number): Record<string, number> {
  const cores = Object.entries(byKind(us)).map(([kind, used]) => [kind, used / 1e6 / seconds] as const);
  return Object.fromEntries(cores);
}

/** Resumes the webhook delivery processes and measures until `work` is done. */
async function measure(bench: Bench, { distance }: Subject, work: () => Promise<unknown>) {
  const pids = { ...bench.product.pids(), ...(distance && { distance: distance.pid }) };
  const own = bench.ownPids().filter((pid) => !Object.values(pids).includes(pid));
  const meter = startMeter({ ...pids, ...Object.fromEntries(own.map((pid, n) => [`benchmark ${n}`, pid])) });
  const beganAt = performance.now();
  bench.product.thaw(['webhook-delivery']);
  await work();
  const seconds = (performance.now() - beganAt) / 1000;
  const { us, othersShare } = meter();
  return { seconds, cores: coresOf(us, seconds), othersShare };
}

/** Subscribes a new partner at a new venue. Returns a function that measures `count` processes on its events. */
async function prepare(bench: Bench, subject: Subject): Promise<(count: number) => Promise<ScaleRun>> {
  const { product, contents } = bench;
  const receiver = await bench.receiver();
  const partner = await bench.addPartner();
  const target = { venue: await bench.addVenue([partner]), partnerIds: [partner.id] };
  await bench.subscribe(partner, receiver[subject.endpoint]);
  const { holdOrdinal: _ordinal, ...hold } = contents.originals.hold;
  const ended = { status: 'RELEASED', claimed: false } as const;
  const commit = (events: number) => {
    const holds = Array.from({ length: events }, (_, n) => ({ ...copyOf(hold, target, n), ...ended }));
    return addWaitingEvents(bench, holds, subject.eventsPerJob);
  };
  const untilReceived = async (events: number) => {
    if (!(await receiver.waitFor(events, TIMEOUT_MS))) throw new Error('Webhooks were not received within a minute');
  };
  return async (count) => {
    await contents.clear();
    await receiver.take();
    await product.runWorkers([]);
    await product.runWorkers(
      Array.from({ length: count }, () => 'webhook-delivery' as const),
      subject.settings,
    );
    const events = subject.events * count;
    // Warm up: the first deliveries of a process cost more.
    const warmUpEvents = Math.ceil(events / 4);
    await commit(warmUpEvents);
    await untilReceived(warmUpEvents);
    if (!(await contents.untilSettled(TIMEOUT_MS))) throw new Error('Deliveries were not recorded within a minute');
    product.freeze(['webhook-delivery']);
    await commit(events);
    await receiver.take();
    const { seconds, cores, othersShare } = await measure(bench, subject, () => untilReceived(events));
    return { count, perSecond: events / seconds, cores, othersShare };
  };
}

function medianRun(runs: readonly ScaleRun[]): ScaleRun {
  const middle = runs.toSorted((a, b) => a.perSecond - b.perSecond)[Math.floor((runs.length - 1) / 2)];
  if (middle === undefined) throw new Error('Nothing was measured');
  return middle;
}

async function measureAll(bench: Bench, subjects: readonly Subject[], runs: number): Promise<ScaleReport['rows']> {
  const rows: ScaleReport['rows'] = [];
  for (const subject of subjects) {
    const measureBy = await prepare(bench, subject);
    const runsByCount = new Map<number, ScaleRun[]>(COUNTS.map((count) => [count, []]));
    for (let run = 0; run < runs; run += 1)
      for (const count of COUNTS) {
        const result = await measureBy(count);
        runsByCount.get(count)?.push(result);
        say(`${subject.name} by ${count}: ${result.perSecond.toFixed(0)}/s`);
      }
    const { label, goal } = subject;
    rows.push({ subject: label, goal, runs: COUNTS.map((count) => medianRun(runsByCount.get(count) ?? [])) });
  }
  return rows;
}

await runForPage({
  name: 'scale',
  usage: USAGE,
  asText,
  asMarkdown,
  isMissed,
  counts: { runs: 3 },
  texts: ['only', 'profile'],
  measure: async ({ runs, only, profile }, onStop) => {
    const bench = await openBench({ runs, seconds: 1, bookings: 0, profile }, onStop);
    const distance = await startDistance(bench.product.mongodbUri, DISTANCE_MS);
    onStop(distance.stop);
    const all = subjectsWith(distance);
    const subjects = all.filter(({ name }) => only === undefined || only === name);
    if (subjects.length === 0)
      throw new BenchUsageError(`--only must be ${all.map(({ name }) => name).join(' or ')}, and is ${only}`);
    return { rows: await measureAll(bench, subjects, runs), concurrency: CONCURRENCY };
  },
});
