import { mkdtemp, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { newId } from '../../src/platform/ids.ts';
import { compileProduct } from '../support/build-product.ts';
import { createClient } from '../support/client.ts';
import { anyPartner } from '../support/factories.ts';
import { inParallel } from '../support/in-parallel.ts';
import { type Service, startService } from '../support/service.ts';
import { endProcesses, projectFolder, startProcess, stopProcess } from '../support/worker-process.ts';
import { type Collector, startCollector } from './otlp-collector.ts';

const API = 'src/main/api.ts';
const WORKERS = ['workers/hold-expiry.ts', 'workers/webhook-delivery.ts'];

const LIST_MODULES = path.join(import.meta.dirname, 'list-modules.cjs');

let service: Service;
let collector: Collector;
/** A folder with the service compiled as it is shipped. */
let release: string;

beforeAll(async () => {
  // Within the project, whose packages are used. Workers of the tests' own product are bundles, which show no modules.
  const parent = path.join(projectFolder, '.cache');
  [collector, release] = await Promise.all([startCollector(), mkdtemp(path.join(parent, 'modules-'))]);
  await compileProduct(path.join(release, 'dist'));
  service = await startService();
});
afterAll(async () => {
  await endProcesses();
  await Promise.all([collector.close(), service.stop()]);
  await rm(release, { recursive: true });
});

/** The packages of OpenTelemetry of which the process has loaded a module when it ends. */
async function loadedPackages(file: string, more: Record<string, string>): Promise<string[]> {
  const list = path.join(release, newId());
  const preload = { NODE_OPTIONS: `--require=${JSON.stringify(LIST_MODULES)}`, MODULES_FILE: list };
  const from = file === API ? undefined : release;
  const process = startProcess(file, { ...service.environment, ...more, ...preload }, [], from);
  await process.ready;
  expect((await stopProcess(process)).code).toBe(0);
  const text = await readFile(list, 'utf8');
  return [...new Set(text.match(/(?<=node_modules\/@opentelemetry\/)[^/]+/g))].toSorted();
}

const loadedByEach = async (more: Record<string, string>) =>
  Object.fromEntries(
    await Promise.all([API, ...WORKERS].map(async (file) => [file, await loadedPackages(file, more)] as const)),
  );

test('without a collector a process loads nothing of OpenTelemetry but its API', async () => {
  expect(await loadedByEach({})).toEqual(Object.fromEntries([API, ...WORKERS].map((file) => [file, ['api']])));
});

/** How many traces of `calls` calls the collector gets of an API process with these settings. */
async function tracesOf(calls: number, more: Record<string, string>): Promise<number> {
  const before = collector.spans.length;
  const settings = { ...service.environment, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...more };
  const process = startProcess(API, settings);
  const api = createClient(String((await process.ready)['url']), (await anyPartner(service)).apiKey);
  await inParallel(Array.from({ length: calls }), 20, async () => {
    expect((await api.get('/api/v1/partner/me')).status).toBe(200);
  });
  // Spans leave at the latest when the process stops.
  expect((await stopProcess(process)).code).toBe(0);
  return collector.spans.slice(before).filter(({ name }) => name === 'GET /api/v1/partner/me').length;
}

test('a tenth of all traces is kept unless the sampler is stated', async () => {
  const CALLS = 300;
  const kept = await tracesOf(CALLS, {});
  // Each is drawn by itself: less or more than this once in a million runs.
  expect(kept).toBeGreaterThan(7);
  expect(kept).toBeLessThan(60);
  expect(await tracesOf(CALLS, { OTEL_TRACES_SAMPLER: 'always_on' })).toBeGreaterThan(CALLS / 2);
});
