import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import type { Trial } from './trial.ts';
import { runTrial } from './trial.ts';
import type { TrialSystem } from './trial-system.ts';
import { startTrialSystem } from './trial-system.ts';

/** One alert at most a minute is posted, what has happened meanwhile with it. */
const POSTED_WITHIN_MS = 150_000;

/** Tries these one after the other on a system of their own; at the end, ALERT_URL must have been sent the begin and the end of each. */
export function tryAll(trials: readonly Trial[], overrides: Record<string, string> = {}): void {
  jest.setTimeout(600_000);
  let system: TrialSystem;
  beforeAll(async () => {
    system = await startTrialSystem(overrides);
  });
  afterAll(() => system.stop());

  for (const trial of trials) {
    const { fault, alerts, kinds = [] } = trial;
    const title = `${fault}: ${[...alerts, ...kinds].join(', ')}, within 60 s, and over after it`;
    test(title, async () => {
      await expect(runTrial(system, trial)).resolves.toHaveLength(alerts.length + kinds.length);
    });
  }

  test('ALERT_URL was sent each of the own alerts, when it began and when it was over', async () => {
    const expected = [...new Set(trials.flatMap(({ kinds = [] }) => kinds))].flatMap((kind) => [
      `${kind} open`,
      `${kind} resolved`,
    ]);
    const posted = () =>
      new Set(
        system.alerts.posts
          .flatMap(({ body }) => body['alerts'] as { kind: string; status: string }[])
          .map(({ kind, status }) => `${kind} ${status}`),
      );
    await eventually('all were sent', () => expected.every((each) => posted().has(each)), POSTED_WITHIN_MS);
    expect([...posted()]).toEqual(expect.arrayContaining(expected));
  });
}
