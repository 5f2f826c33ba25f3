import { setTimeout as delay } from 'node:timers/promises';
import type { Latency } from '../statistics.ts';
import { latencyOf } from '../statistics.ts';

const MAX_EXTRA_MS = 20_000;

/** Makes call number `call` as caller number `caller`. Returns the outcome as a short text, such as the status. */
export type Step = (call: number, caller: number) => Promise<string>;

export type Pace =
  /**
   * Each caller calls again as soon as it gets its response. Calls in the warm-up seconds are not counted. The warm-up
   * and the counted part each last longer, if necessary, until they had as many responses as there are callers.
   */
  | { kind: 'closed'; warmSeconds: number; seconds: number }
  /** Makes `count` calls, or fewer: none begins later than `withinSeconds` after the start. */
  | { kind: 'count'; count: number; withinSeconds: number }
  /**
   * Calls begin at a fixed rate, however long they take, for `seconds` or until the load is stopped. A call that still
   * waits for a connection at the end is not made, and has the outcome `not begun`.
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

export type LoadHooks = { begun: () => void; ended: () => void; stopping: AbortSignal };

/** Runs a load. Calls `begun` and `ended` at the start and the end of the part whose calls are counted. */
export async function runLoad(step: Step, callers: number, pace: Pace, hooks: LoadHooks): Promise<LoadReport> {
  const tally = newTally();
  switch (pace.kind) {
    case 'closed':
      await closedLoop(step, callers, pace, hooks, tally);
      break;
    case 'count':
      await fixedCount(step, callers, pace, hooks, tally);
      break;
    case 'rate':
      await fixedRate(step, callers, pace, hooks, tally);
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
  hooks: LoadHooks,
  tally: Tally,
): Promise<void> {
  let next = 0;
  let responses = 0;
  let phase: 'warming' | 'counting' | 'over' = 'warming';
  const isOver = () => phase === 'over';
  const call = async (caller: number): Promise<void> => {
    while (!isOver()) {
      const beganAt = performance.now();
      const outcome = await step(next++, caller);
      responses += 1;
      if (phase === 'counting') tally.count(outcome, performance.now() - beganAt);
    }
  };
  const all = Promise.all(Array.from({ length: callers }, (_, caller) => call(caller)));
  // Waits `forSeconds` and for as many responses as callers. If a step throws, `all` rejects and ends the wait.
  const waitFor = async (forSeconds: number): Promise<void> => {
    const endsAt = performance.now() + forSeconds * 1000;
    const enough = responses + callers;
    const needsMore = () => responses < enough && performance.now() < endsAt + MAX_EXTRA_MS;
    await Promise.race([all, delay(forSeconds * 1000)]);
    while (needsMore()) await Promise.race([all, delay(100)]);
  };
  await waitFor(warmSeconds);
  hooks.begun();
  tally.begin();
  phase = 'counting';
  await waitFor(seconds);
  phase = 'over';
  tally.end();
  hooks.ended();
  await all;
}

async function fixedCount(
  step: Step,
  callers: number,
  { count, withinSeconds }: Extract<Pace, { kind: 'count' }>,
  hooks: LoadHooks,
  tally: Tally,
): Promise<void> {
  let next = 0;
  hooks.begun();
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
  hooks.ended();
}

async function fixedRate(
  step: Step,
  callers: number,
  { perSecond, seconds }: Extract<Pace, { kind: 'rate' }>,
  hooks: LoadHooks,
  tally: Tally,
): Promise<void> {
  const free = Array.from({ length: callers }, (_, caller) => caller);
  const queue: ((caller: number | undefined) => void)[] = [];
  const calls: Promise<void>[] = [];
  hooks.begun();
  tally.begin();
  const startedAt = performance.now();
  const call = async (number: number, dueAt: number): Promise<void> => {
    const caller = free.pop() ?? (await new Promise<number | undefined>((resolve) => queue.push(resolve)));
    if (caller === undefined) {
      tally.count('not begun', performance.now() - dueAt);
      return;
    }
    // Measure from the time that the call was due: it waited for a connection because the service was slow.
    tally.count(await step(number, caller), performance.now() - dueAt);
    const next = queue.shift();
    if (next === undefined) free.push(caller);
    else next(caller);
  };
  for (let number = 0; number < perSecond * seconds && !hooks.stopping.aborted; number += 1) {
    const dueAt = startedAt + (number * 1000) / perSecond;
    const inMs = dueAt - performance.now();
    if (inMs > 0) await delay(inMs);
    calls.push(call(number, dueAt));
  }
  // Drop waiting calls: a service that cannot keep up would need long for them.
  for (const resolve of queue.splice(0)) resolve(undefined);
  await Promise.all(calls);
  tally.end();
  hooks.ended();
}
