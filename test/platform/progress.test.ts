import { afterEach, expect, jest, test } from '@jest/globals';
import { readWork } from '../../src/operations/metrics/metrics-page.ts';
import { createProgress } from '../../src/platform/progress.ts';

afterEach(() => {
  jest.restoreAllMocks();
});

/** Progress by a test clock. `pass`: the process runs for some seconds. `freeze`: it is frozen for some seconds. */
function withClock() {
  let nowMs = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const progress = createProgress();
  const pass = (seconds: number) => {
    for (let each = 0; each < seconds; each += 1) {
      nowMs += 1000;
      progress.stalls();
    }
  };
  const freeze = (seconds: number) => {
    nowMs += seconds * 1000;
  };
  return { progress, pass, freeze };
}

test('work that does not beat for too long is a stall and a metric, with its duration, until it beats again', () => {
  const { progress, pass } = withClock();
  const sweep = progress.expect('sweep', 30_000);
  progress.expect('jobs', 60_000);
  pass(30);
  expect(progress.stalls()).toEqual([]);
  pass(1);
  expect(progress.stalls()).toEqual([{ name: 'sweep', silent_seconds: 31 }]);
  expect(readWork(progress)).toEqual({ work_stalled: { sweep: 1, jobs: 0 } });
  pass(30);
  expect(progress.stalls()).toEqual([
    { name: 'sweep', silent_seconds: 61 },
    { name: 'jobs', silent_seconds: 61 },
  ]);
  sweep.beat();
  expect(progress.stalls()).toEqual([{ name: 'jobs', silent_seconds: 61 }]);
});

test('the time for which a process was frozen does not count, because its work could not beat', () => {
  const { progress, pass, freeze } = withClock();
  progress.expect('sweep', 30_000);
  pass(20);
  freeze(600);
  expect(progress.stalls()).toEqual([]);
  pass(11);
  expect(progress.stalls()).toEqual([{ name: 'sweep', silent_seconds: 31 }]);
});
