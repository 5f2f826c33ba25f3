import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { eventually } from '../support/eventually.ts';
import { type Family, parseExposition } from '../support/exposition.ts';
import { bookSlot } from '../support/factories.ts';
import { startScene } from '../support/scene.ts';
import { hostedService } from '../support/service-host.ts';
import { DASHBOARDS, PROMETHEUS_FOLDER, readExpressions, readRules } from './expressions.ts';
import { readPromql } from './promql.ts';
import { workerPage } from './worker-page.ts';

const service = await hostedService();
afterAll(() => service.stop());

/** Labels that Prometheus adds to all scraped metrics. */
const SCRAPED = ['namespace', 'job', 'instance'];
/** Metrics of kube-state-metrics. */
const KUBE_STATE = ['kube_cronjob_status_last_successful_time', 'kube_cronjob_created'];
/** Labels whose values a short test does not all see. */
const OPEN_VALUES = ['status', 'outcome', 'le', 'instance'];

/** The labels of each metric, and the values of each label. */
let labelsOf: Map<string, Set<string>>;
let valuesOf: Map<string, Set<string>>;

beforeAll(async () => {
  const { partner, slot } = await startScene(service);
  // One rejected hold and one confirmation, which the metrics count.
  const slotId = slot();
  await bookSlot(partner, slotId);
  await partner.api.post('/api/v1/partner/holds', { slot_id: slotId });
  const purges = service.context.db.collection<{ _id: string; completedAt: Date }>('purges');
  await purges.insertOne({ _id: 'holds', completedAt: new Date() });
  await fetch(`${service.adminUrl}/healthz`);
  const api = await eventually('the refusal is counted', async () => {
    const families = parseExposition(await (await fetch(`${service.adminUrl}/metrics`)).text());
    const isCounted = ['holds_refused_total', 'bookings_confirmed_total'].every(
      (name) => (families.get(name)?.samples[0]?.value ?? 0) > 0,
    );
    const isPurged = families.has('pbs_retention_completed_timestamp_seconds');
    return isCounted && isPurged && families.has('pbs_queue_workers') && families;
  });
  const worker = await workerPage(service.environment);
  labelsOf = labelsBySample([api, worker.families], worker.labels);
  for (const metric of KUBE_STATE) labelsOf.set(metric, new Set(['namespace', 'cronjob']));
  valuesOf = valuesByLabel([api, worker.families]);
  valuesOf.set('job', await scrapedJobs());
  valuesOf.set('cronjob', new Set(['partner-booking-backup']));
});

function labelsBySample(pages: Map<string, Family>[], defined: Map<string, readonly string[]>) {
  const labels = new Map<string, Set<string>>([['up', new Set(SCRAPED)]]);
  const add = (sample: string, labelNames: readonly string[]) =>
    labels.set(sample, new Set([...(labels.get(sample) ?? SCRAPED), ...labelNames]));
  for (const [family, { samples }] of pages.flatMap((page) => [...page])) {
    if (samples.length === 0) add(family, defined.get(family) ?? []);
    for (const sample of samples) add(sample.name, Object.keys(sample.labels));
  }
  return labels;
}

function valuesByLabel(pages: Map<string, Family>[]): Map<string, Set<string>> {
  const values = new Map<string, Set<string>>();
  const samples = pages.flatMap((page) => [...page.values()].flatMap((family) => family.samples));
  for (const [label, value] of samples.flatMap(({ labels }) => Object.entries(labels))) {
    values.set(label, (values.get(label) ?? new Set()).add(value));
  }
  return values;
}

async function scrapedJobs(): Promise<Set<string>> {
  const file = await readFile(path.join(PROMETHEUS_FOLDER, 'scrape.yml'), 'utf8');
  const { scrape_configs: jobs } = parse(file) as { scrape_configs: { job_name: string }[] };
  return new Set(jobs.map(({ job_name: name }) => name));
}

/** Metrics, labels and label values that an expression names and no process exposes. */
function unknownIn(expr: string): string[] {
  const { selectors, grouping } = readPromql(expr);
  const has = (metric: string, label: string) => labelsOf.get(metric)?.has(label) === true;
  return [
    ...(selectors.length === 0 ? [`no metric in ${expr}`] : []),
    ...selectors.filter(({ metric }) => !labelsOf.has(metric)).map(({ metric }) => metric),
    ...selectors.flatMap(({ metric, matchers }) =>
      matchers
        .filter(([label, operator, value]) => !has(metric, label) || !isSeen(label, operator, value))
        .map(([label, operator, value]) => `${metric}{${label}${operator}"${value}"}`),
    ),
    ...grouping.filter((label) => !selectors.some(({ metric }) => has(metric, label))),
  ];
}

/** Each alternative of a pattern must match a value. A dashboard variable may have any value. */
function isSeen(label: string, operator: string, value: string): boolean {
  if (value.startsWith('$') || OPEN_VALUES.includes(label)) return true;
  const seen = [...(valuesOf.get(label) ?? [])];
  if (!operator.endsWith('~')) return seen.includes(value);
  const alternatives = value.includes('(') ? [value] : value.split('|');
  return alternatives.every((each) => seen.some((seenValue) => new RegExp(`^(?:${each})$`).test(seenValue)));
}

test('each rule for Prometheus uses existing metrics', async () => {
  const rules = (await readRules()).groups.flatMap((group) => group.rules);
  expect(rules.length).toBeGreaterThan(20);
  expect(rules.flatMap(({ expr }) => unknownIn(expr))).toEqual([]);
});

test.each(DASHBOARDS)('each panel of %s uses existing metrics', async (name) => {
  const expressions = await readExpressions(name);
  expect(expressions.length).toBeGreaterThanOrEqual(10);
  expect(expressions.flatMap(unknownIn)).toEqual([]);
});
