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
/** A folder with the compiled service, as shipped. */
let release: string;

beforeAll(async () => {
  // Within the project, to use its packages. The tests' own build bundles workers, which hides modules.
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

/** The OpenTelemetry packages from which the process has loaded modules. */
async function loadedPackages(file: string): Promise<string[]> {
  const list = path.join(release, newId());
  const preload = { NODE_OPTIONS: `--require=${JSON.stringify(LIST_MODULES)}`, MODULES_FILE: list };
  const from = file === API ? undefined : release;
  const process = startProcess(file, { ...service.environment, ...preload }, [], from);
  await process.ready;
  expect((await stopProcess(process)).code).toBe(0);
  const text = await readFile(list, 'utf8');
  return [...new Set(text.match(/(?<=node_modules\/@opentelemetry\/)[^/]+/g))].toSorted();
}

test('without a collector, a process loads only the API of OpenTelemetry', async () => {
  const files = [API, ...WORKERS];
  expect(await Promise.all(files.map(loadedPackages))).toEqual(files.map(() => ['api']));
});

test('a tenth of all traces is exported by default', async () => {
  const tracing = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  const process = startProcess(API, { ...service.environment, ...tracing });
  const api = createClient(String((await process.ready)['url']), (await anyPartner(service)).apiKey);
  await inParallel(Array.from({ length: 300 }), 20, async () => {
    expect((await api.get('/api/v1/partner/me')).status).toBe(200);
  });
  // The process exports its spans when it stops, at the latest.
  expect((await stopProcess(process)).code).toBe(0);
  const traces = collector.spans.filter(({ name }) => name === 'GET /api/v1/partner/me').length;
  // Each trace is sampled by itself. The number is outside these bounds once in a million runs.
  expect(traces).toBeGreaterThan(7);
  expect(traces).toBeLessThan(60);
});
