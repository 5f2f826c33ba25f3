import { setTimeout as delay } from 'node:timers/promises';
import type { Latency } from '../statistics.ts';
import { latencyOf } from '../statistics.ts';

const AT_MOST_LONGER_MS = 20_000;

/** Makes call number `call` as caller number `caller`. Returns the outcome as a word, such as a status. */
export type Step = (call: number, caller: number) => Promise<string>;

export type Pace =
  /**
   * Each caller calls again as soon as it gets its response. The first seconds are not counted. Lasts longer if there
   * were fewer responses than callers.
   */
  | { kind: 'closed'; warmSeconds: number; seconds: number }
  /** At most `count` calls, and only calls that begin within `withinSeconds`. */
  | { kind: 'count'; count: number; withinSeconds: number }
  /**
   * Calls begin at a fixed rate, however long they take, for `seconds` or until the load is stopped. Calls that still
   * wait for a connection then are not made.
   */
  | { kind: 'rate'; perSecond: number; seconds: number };

export type LoadReport = {
  calls: number;
  seconds: number;
  perSecond: number;
  latencyMs: Latency;
  /** Number of calls by outcome. */
  outcomes: Record<string, number>;
};

export type Window = { begun: () => void; ended: () => void; stopping: AbortSignal };

/** Runs a load. Calls `begun` and `ended` when the counted part begins and ends. */
export async function runLoad(step: Step, callers: number, pace: Pace, window: Window): Promise<LoadReport> {
  const tally = newTally();
  switch (pace.kind) {
    case 'closed':
      await closedLoop(step, callers, pace, window, tally);
      break;
    case 'count':
      await counted(step, callers, pace, window, tally);
      break;
    case 'rate':
      await paced(step, callers, pace, window, tally);
      break;
  }
  return tally.report();
}

type Tally = ReturnType<typeof newTally>;

function newTally() {
  const latenciesMs: number[] = [];
  const outcomes: Record<string, number> = {};
  let beganAt = 0;
  let endedAt = 0;
  return {
    begin: () => {
      beganAt = performance.now();
    },
    end: () => {
      endedAt = performance.now();
    },
    count: (outcome: string, tookMs: number) => {
      latenciesMs.push(tookMs);
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    },
    report: (): LoadReport => {
      const seconds = (endedAt - beganAt) / 1000;
      const calls = latenciesMs.length;
      return { calls, seconds, perSecond: calls / seconds, latencyMs: latencyOf(latenciesMs), outcomes };
    },
  };
}

async function closedLoop(
  step: Step,
  callers: number,
  { warmSeconds, seconds }: Extract<Pace, { kind: 'closed' }>,
  window: Window,
  tally: Tally,
): Promise<void> {
  let next = 0;
  let answered = 0;
  let phase: 'warming' | 'counting' | 'over' = 'warming';
  const isOver = () => phase === 'over';
  const call = async (caller: number): Promise<void> => {
    while (!isOver()) {
      const beganAt = performance.now();
      const outcome = await step(next++, caller);
      answered += 1;
      if (phase === 'counting') tally.count(outcome, performance.now() - beganAt);
    }
  };
  const all = Promise.all(Array.from({ length: callers }, (_, caller) => call(caller)));
  // Wait this long, and for as many responses as there are callers. A step that throws ends the wait.
  const pass = async (forSeconds: number): Promise<void> => {
    const endsAt = performance.now() + forSeconds * 1000;
    const enough = answered + callers;
    const isShort = () => answered < enough && performance.now() < endsAt + AT_MOST_LONGER_MS;
    await Promise.race([all, delay(forSeconds * 1000)]);
    while (isShort()) await Promise.race([all, delay(100)]);
  };
  await pass(warmSeconds);
  window.begun();
  tally.begin();
  phase = 'counting';
  await pass(seconds);
  phase = 'over';
  tally.end();
  window.ended();
  await all;
}

async function counted(
  step: Step,
  callers: number,
  { count, withinSeconds }: Extract<Pace, { kind: 'count' }>,
  window: Window,
  tally: Tally,
): Promise<void> {
  let next = 0;
  window.begun();
  tally.begin();
  const endsAt = performance.now() + withinSeconds * 1000;
  const call = async (caller: number): Promise<void> => {
    while (next < count && performance.now() < endsAt) {
      const beganAt = performance.now();
      tally.count(await step(next++, caller), performance.now() - beganAt);
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, caller) => call(caller)));
  tally.end();
  window.ended();
}

async function paced(
  step: Step,
  callers: number,
  { perSecond, seconds }: Extract<Pace, { kind: 'rate' }>,
  window: Window,
  tally: Tally,
): Promise<void> {
  const free = Array.from({ length: callers }, (_, caller) => caller);
  const queue: ((caller: number | undefined) => void)[] = [];
  const calls: Promise<void>[] = [];
  window.begun();
  tally.begin();
  const startedAt = performance.now();
  const call = async (number: number, dueAt: number): Promise<void> => {
    const caller = free.pop() ?? (await new Promise<number | undefined>((resolve) => queue.push(resolve)));
    if (caller === undefined) {
      tally.count('not begun', performance.now() - dueAt);
      return;
    }
    // Count from when the call was due: waiting for a free connection is waiting for the service.
    tally.count(await step(number, caller), performance.now() - dueAt);
    const next = queue.shift();
    if (next === undefined) free.push(caller);
    else next(caller);
  };
  for (let number = 0; number < perSecond * seconds && !window.stopping.aborted; number += 1) {
    const dueAt = startedAt + (number * 1000) / perSecond;
    const inMs = dueAt - performance.now();
    if (inMs > 0) await delay(inMs);
    calls.push(call(number, dueAt));
  }
  // Drop waiting calls: a service that cannot keep up would take long to answer them.
  for (const resolve of queue.splice(0)) resolve(undefined);
  await Promise.all(calls);
  tally.end();
  window.ended();
}
