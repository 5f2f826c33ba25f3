import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { runTrial, type TrialRow } from './trial.ts';
import { startTrialSystem, type TrialSystem } from './trial-system.ts';

/** The service posts at most once a minute, all changes since its last post. */
const POSTED_WITHIN_MS = 150_000;

/** Tests the rows in order on a system of their own. ALERT_URL must receive the beginning and end of each alert. */
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
    test(`${titles.join('; ')}: raised within 60 s, and over after the fault`, async () => {
      // Wait for all, so that every fault is mended before a failure is reported.
      const outcomes = await Promise.allSettled(trials.map((trial) => runTrial(system, trial)));
      expect(outcomes).toEqual(trials.map(() => expect.objectContaining({ status: 'fulfilled' })));
    });
  }

  test('ALERT_URL received the beginning and end of each of the service’s own alerts', async () => {
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
    await eventually('all posts', () => expected.every((each) => posted().has(each)), POSTED_WITHIN_MS);
    expect([...posted()]).toEqual(expect.arrayContaining(expected));
  });
}
