import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { promtool } from '../../scripts/promtool.ts';
import { reasonToSkip } from '../docs/programs.ts';
import { temporaryFolder } from '../embedded/temporary-folder.ts';
import { DASHBOARDS, PROMETHEUS_FOLDER as folder, readExpressions, readRules } from './expressions.ts';
import { HEALTHY, RULE_CASES, type SeriesByName } from './rule-cases.ts';

/** The first run builds promtool. Without optimization, it takes a minute for all cases, longer on a busy machine. */
const TIMEOUT_MS = 900_000;
const { groups } = await readRules();
const severities = new Map(
  groups.flatMap(({ rules }) => rules.map(({ alert, labels }) => [alert, labels.severity] as const)),
);

/** For `promtool test rules`: the alerts that fire an hour after these changes to a healthy service. */
function unitTest(name: string, changes: SeriesByName, alerts: readonly string[]) {
  return {
    name,
    interval: '1m',
    input_series: Object.entries({ ...HEALTHY, ...changes }).map(([series, values]) => ({ series, values })),
    promql_expr_test: [
      {
        expr: 'group by (alertname, severity) (ALERTS{alertstate="firing"})',
        eval_time: '1h',
        exp_samples: alerts.map((alert) => ({
          labels: `{alertname="${alert}",severity="${severities.get(alert)}"}`,
          value: 1,
        })),
      },
    ],
  };
}

async function runUnitTests(tests: readonly ReturnType<typeof unitTest>[]): Promise<void> {
  const file = path.join(await temporaryFolder(), 'tests.yml');
  const document = { rule_files: [path.join(folder, 'rules.yml')], evaluation_interval: '1m', tests };
  // JSON is valid YAML.
  await writeFile(file, JSON.stringify(document));
  await promtool(['test', 'rules', file], folder, process.env);
}

/** Checks expressions as recording rules, with values for the dashboard's variables. */
async function checkExpressions(expressions: readonly string[]): Promise<void> {
  const rules = expressions.map((expr, index) => ({
    record: `expression_${index}`,
    expr: expr.replaceAll('$__rate_interval', '5m').replaceAll(/\$\w+/g, '.+'),
  }));
  const file = path.join(await temporaryFolder(), 'expressions.yml');
  await writeFile(file, JSON.stringify({ groups: [{ name: 'dashboards', rules }] }));
  await promtool(['check', 'rules', file], folder, process.env);
}

const skipped = process.env['CI'] === undefined ? await reasonToSkip({ go: 'version' }) : '';

(skipped === '' ? describe : describe.skip)(`the rules for Prometheus${skipped}`, () => {
  test(
    'are valid, and so is the configuration that loads them',
    async () => {
      const check = (...args: string[]) => promtool(['check', ...args], folder, process.env);
      await expect(check('rules', '--lint-fatal', 'rules.yml')).resolves.toBeUndefined();
      await expect(check('config', '--lint-fatal', 'scrape.yml')).resolves.toBeUndefined();
      // This promtool does not support Kubernetes discovery.
      const discovering = readFileSync(path.join(folder, 'scrape-kubernetes.yml'), 'utf8');
      const scraping = path.join(await temporaryFolder(), 'scrape.yml');
      await writeFile(scraping, discovering.replace(/kubernetes_sd_configs: .*|^rule_files.*/gm, ''));
      await expect(check('config', '--lint-fatal', scraping)).resolves.toBeUndefined();
    },
    TIMEOUT_MS,
  );

  test('the dashboards use valid PromQL', async () => {
    const expressions = (await Promise.all(DASHBOARDS.map(readExpressions))).flat();
    await expect(checkExpressions(expressions)).resolves.toBeUndefined();
  });

  test('two deployments in one Prometheus are separate: the API of one is absent, and only its alert fires', async () => {
    const within = (namespace: string, series: SeriesByName): SeriesByName =>
      Object.fromEntries(
        Object.entries(series).map(([name, values]) => [name.replace('{', `{namespace="${namespace}",`), values]),
      );
    const withoutApi = Object.fromEntries(
      Object.entries(HEALTHY).map(([name, values]) => [name, name.includes('partner-booking-api') ? '_x90' : values]),
    );
    const absent = Object.fromEntries(Object.keys(HEALTHY).map((name) => [name, '_x90']));
    const tests = [
      unitTest('both are healthy', { ...absent, ...within('a', HEALTHY), ...within('b', HEALTHY) }, []),
      unitTest('one has no API', { ...absent, ...within('a', HEALTHY), ...within('b', withoutApi) }, [
        'BookingApiAbsent',
      ]),
    ];
    await expect(runUnitTests(tests)).resolves.toBeUndefined();
  });

  test(
    'each alert fires alone in its case, and none fires on a healthy service or just below a limit',
    async () => {
      expect(RULE_CASES.map(({ alert }) => alert)).toEqual([...severities.keys()]);
      await runUnitTests([
        unitTest('healthy', {}, []),
        ...RULE_CASES.flatMap(({ alert, firing, quiet }) => [
          unitTest(`${alert} fires`, firing, [alert]),
          unitTest(`${alert} does not fire`, quiet, []),
        ]),
      ]);
    },
    TIMEOUT_MS,
  );
});
