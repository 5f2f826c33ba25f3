import { expect, test } from '@jest/globals';
import { ALERT_KINDS } from '../../src/alerts/alert-types.ts';
import { WORKED_QUEUES } from '../../src/queues/queues.ts';
import { DATABASE_TRIALS } from './databases.trials.ts';
import { PROCESS_TRIALS } from './processes.trials.ts';
import { readRules } from './prometheus.ts';
import { SLOW, UNTRIED } from './slow-rules.ts';
import type { TrialRow } from './trial.ts';
import { WORKER_TRIALS } from './workers.trials.ts';

const ROWS = [...DATABASE_TRIALS, ...PROCESS_TRIALS, ...WORKER_TRIALS];
const TRIALS = ROWS.flat();
const rules = (await readRules()).groups.flatMap((group) => group.rules);

test('each rule of Prometheus and each alert of the service is tried on a real service, or says why not', () => {
  const tried = new Set(TRIALS.flatMap(({ alerts, kinds = [] }) => [...alerts, ...kinds]));
  expect([...tried, ...Object.keys(UNTRIED)].toSorted()).toEqual(
    [...rules.map(({ alert }) => alert), ...ALERT_KINDS].toSorted(),
  );
});

test('a rule waits for half a minute at most, or says why it is slow', () => {
  const waits = rules
    .filter((rule) => !['10s', '30s', undefined].includes(rule.for) && !(rule.alert in UNTRIED))
    .map(({ alert }) => alert);
  expect(Object.keys(SLOW)).toEqual(expect.arrayContaining(waits));
  expect(rules.map(({ alert }) => alert)).toEqual(expect.arrayContaining(Object.keys(SLOW)));
});

test('each process and database is killed and frozen, each queue paused, and both kinds of processes starved', () => {
  const processes = ['the API', 'hold expiry', 'webhook delivery'];
  const wanted = [
    ...[...processes, 'MongoDB', 'Redis'].flatMap((name) => [`${name} is killed`, `${name} is frozen`]),
    ...WORKED_QUEUES.map((queue) => `the queue ${queue} is paused`),
    ...['the API', 'hold expiry'].map((name) => `${name} is starved`),
  ];
  expect(wanted.filter((fault) => !TRIALS.some((trial) => trial.fault.startsWith(fault)))).toEqual([]);
});

/** Alerts that one trial of a row could take for its own although another has raised them. */
function confused(row: TrialRow): string[] {
  const trials = [row].flat();
  return trials.flatMap(({ of, alerts, kinds = [] }, index) =>
    trials
      .slice(0, index)
      .filter((other) => of === undefined || other.of === undefined || other.of === of)
      .flatMap((other) => [...other.alerts, ...(other.kinds ?? [])])
      .filter((alert) => [...alerts, ...kinds].includes(alert)),
  );
}

test('faults that are made at a time raise other alerts, or each that of another process or queue', () => {
  expect(ROWS.flatMap(confused)).toEqual([]);
  const trial = { fault: '', alerts: ['A'], inflict: async () => undefined, mend: async () => undefined };
  expect(confused([trial, { ...trial, of: 'api' }])).toEqual(['A']);
  expect(
    confused([
      { ...trial, of: 'hold-expiry' },
      { ...trial, of: 'api' },
    ]),
  ).toEqual([]);
});
