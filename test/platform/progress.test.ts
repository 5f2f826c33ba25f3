import { expect, test } from '@jest/globals';
import { readWork } from '../../src/operations/metrics/metrics-page.ts';
import { createProgress } from '../../src/platform/progress.ts';

/** A clock that advances second by second, as for a running process. */
function running() {
  let nowMs = 0;
  const progress = createProgress(() => nowMs);
  const pass = (seconds: number) => {
    for (let each = 0; each < seconds; each += 1) {
      nowMs += 1000;
      progress.stalls();
    }
  };
  const standStill = (seconds: number) => {
    nowMs += seconds * 1000;
  };
  return { progress, pass, standStill };
}

test('work silent for too long is a stall, with its duration, until it beats again', () => {
  const { progress, pass } = running();
  const sweep = progress.expect('sweep', 30_000);
  progress.expect('jobs', 60_000);
  pass(30);
  expect(progress.stalls()).toEqual([]);
  pass(1);
  expect(progress.stalls()).toEqual([{ name: 'sweep', silent_seconds: 31 }]);
  pass(30);
  expect(progress.stalls()).toEqual([
    { name: 'sweep', silent_seconds: 61 },
    { name: 'jobs', silent_seconds: 61 },
  ]);
  sweep.beat();
  expect(progress.stalls()).toEqual([{ name: 'jobs', silent_seconds: 61 }]);
});

test('progress is a metric: 1 for a stall, 0 otherwise', () => {
  const { progress, pass } = running();
  progress.expect('sweep', 30_000);
  progress.expect('jobs', 60_000);
  expect(readWork(progress)).toEqual({ work_stalled: { sweep: 0, jobs: 0 } });
  pass(31);
  expect(readWork(progress)).toEqual({ work_stalled: { sweep: 1, jobs: 0 } });
});

test('for a frozen process no time passes: its work could not beat', () => {
  const { progress, pass, standStill } = running();
  progress.expect('sweep', 30_000);
  pass(20);
  standStill(600);
  expect(progress.stalls()).toEqual([]);
  pass(11);
  expect(progress.stalls()).toEqual([{ name: 'sweep', silent_seconds: 31 }]);
});
