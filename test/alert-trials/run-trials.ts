import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { runTrial, type TrialRow } from './trial.ts';
import { startTrialSystem, type TrialSystem } from './trial-system.ts';

/** One alert at most a minute is posted, what has happened meanwhile with it. */
const POSTED_WITHIN_MS = 150_000;

/** Tries these rows one after the other on a system of their own; at the end, ALERT_URL must have been sent the begin and the end of each. */
export function tryAll(rows: readonly TrialRow[], overrides: Record<string, string> = {}): void {
  jest.setTimeout(600_000);
  let system: TrialSystem;
  beforeAll(async () => {
    system = await startTrialSystem(overrides);
  });
  afterAll(() => system.stop());

  for (const row of rows) {
    const trials = [row].flat();
    const titles = trials.map(({ fault, alerts, kinds = [] }) => `${fault}: ${[...alerts, ...kinds].join(', ')}`);
    test(`${titles.join('; ')}, within 60 s, and over after it`, async () => {
      // All are mended before one that failed is told of.
      const outcomes = await Promise.allSettled(trials.map((trial) => runTrial(system, trial)));
      expect(outcomes).toEqual(trials.map(() => expect.objectContaining({ status: 'fulfilled' })));
    });
  }

  test('ALERT_URL was sent each of the own alerts, when it began and when it was over', async () => {
    const expected = [...new Set(rows.flat().flatMap(({ kinds = [] }) => kinds))].flatMap((kind) => [
      `${kind} open`,
      `${kind} resolved`,
    ]);
    const posted = () =>
      new Set(
        system.alerts.received
          .flatMap(({ body }) => body['alerts'] as { kind: string; status: string }[])
          .map(({ kind, status }) => `${kind} ${status}`),
      );
    await eventually('all were sent', () => expected.every((each) => posted().has(each)), POSTED_WITHIN_MS);
    expect([...posted()]).toEqual(expect.arrayContaining(expected));
  });
}
