import { expect, test } from '@jest/globals';
import { ALERT_KINDS } from '../../src/operations/alerts/alert-types.ts';
import { readRules } from '../metrics/expressions.ts';
import { DATABASE_TRIALS } from './databases.trials.ts';
import { PROCESS_TRIALS } from './processes.trials.ts';
import { UNTRIED } from './slow-rules.ts';
import { WORKER_TRIALS } from './workers.trials.ts';

const TRIALS = [...DATABASE_TRIALS, ...PROCESS_TRIALS, ...WORKER_TRIALS].flat();
const rules = (await readRules()).groups.flatMap((group) => group.rules);

test('each alert rule of Prometheus and each alert of the service has a trial, or a reason for having none', () => {
  const alertsOfTrials = new Set(TRIALS.flatMap(({ alerts, kinds = [] }) => [...alerts, ...kinds]));
  expect([...alertsOfTrials, ...Object.keys(UNTRIED)].toSorted()).toEqual(
    [...rules.map(({ alert }) => alert), ...ALERT_KINDS].toSorted(),
  );
});
