import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { runTrial, type TrialRow } from './trial.ts';
import { startTrialSystem, type TrialSystem } from './trial-system.ts';

/** At most one alert a minute is posted, with all changes since the last. */
const POSTED_WITHIN_MS = 150_000;

/** Tries the rows in order on their own system. ALERT_URL must receive the begin and the end of each alert. */
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
      // Mends all faults before reporting a failure.
      const outcomes = await Promise.allSettled(trials.map((trial) => runTrial(system, trial)));
      expect(outcomes).toEqual(trials.map(() => expect.objectContaining({ status: 'fulfilled' })));
    });
  }

  test('ALERT_URL received the begin and the end of each alert of the service', async () => {
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
