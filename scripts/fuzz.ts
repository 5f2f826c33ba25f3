/**
 * `npm run fuzz`: starts a service and sends it thousands of requests generated from its own OpenAPI documents. Fails
 * on a 5xx, and on a status, media type, header or body that the document does not allow. Takes five to eight minutes,
 * at most twenty.
 *
 * FUZZ_SEED selects other random cases. FUZZ_CASES sets the number of generated cases per operation (default 40).
 */

import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { createCleanup } from '../src/development/cleanup.ts';
import { temporaryParent } from '../src/development/embedded/data-folder.ts';
import { onStopSignal } from '../src/platform/stop-signals.ts';
import { startTestServers } from '../test/support/servers.ts';
import type { Service } from '../test/support/service.ts';
import { startService } from '../test/support/service.ts';
import { OPERATOR_KEY } from '../test/support/service-environment.ts';
import { provision } from './fuzz/provision.ts';
import type { Outcome, Target } from './fuzz/run.ts';
import { runFuzzer } from './fuzz/run.ts';
import type { KnownValues, OpenApiDocument } from './fuzz/settings.ts';
import { countOperations, withImpossibleResponses } from './fuzz/settings.ts';
import { pythonEnvironment } from './python-environment.ts';

const MIN_CASES = 2000;
const DEADLINE_MS = 600_000;
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_261_121);
const CASES_PER_OPERATION = Number(process.env['FUZZ_CASES'] ?? 40);

const cleanup = createCleanup();
const say = (line: string) => console.log(line);

type Listener = { name: string; url: string; apiKey: string };

async function main(): Promise<boolean> {
  const python = await pythonEnvironment({ schemathesis: '4.32.5' }, process.env, say);
  const service = await startOwnService();
  const { partner, values } = await provision(service);
  const partnerListener = { name: 'partner interface', url: service.url, apiKey: partner.apiKey };
  // Fuzz the partner listener first: operator calls also suspend partners and delete keys.
  const listeners = [partnerListener, { name: 'operator interface', url: service.adminUrl, apiKey: OPERATOR_KEY }];
  say(`Seed ${SEED}, ${CASES_PER_OPERATION} generated cases per operation, in addition to the cases from its schema`);
  if (!(await detectsWrongDocument(python, partnerListener, values))) return false;
  const outcomes: Outcome[] = [];
  for (const listener of listeners) outcomes.push(await fuzz(python, listener, values));
  const cases = outcomes.reduce((sum, outcome) => sum + outcome.cases, 0);
  const isClean = outcomes.every((outcome) => outcome.isClean);
  if (cases < MIN_CASES) say(`Only ${cases} of at least ${MIN_CASES} cases were sent. Raise FUZZ_CASES.`);
  say(`${cases} cases: ${isClean ? 'every response matches its document' : 'some responses do not match, see above'}`);
  return isClean && cases >= MIN_CASES;
}

async function startOwnService(): Promise<Service> {
  const servers = await startTestServers();
  cleanup.add(() => servers.stop());
  Object.assign(process.env, { TEST_MONGODB_URI: servers.mongodbUri, TEST_REDIS_URL: servers.redisUrl });
  const service = await startService({ RATE_LIMIT_PER_MINUTE: '0', LOG_LEVEL: 'error' });
  cleanup.add(() => service.stop());
  cleanup.add(() => {
    // A 5xx response does not contain its reason; the log does.
    if (service.logs() !== '') say(`The service logged:\n${service.logs()}`);
    return Promise.resolve();
  });
  return service;
}

/** Fuzzes one listener with its own OpenAPI document and prints the outcome. */
async function fuzz(python: string, listener: Listener, values: KnownValues): Promise<Outcome> {
  const document = await documentOf(listener);
  const startedAt = performance.now();
  const outcome = await runFuzzer(python, await targetOf(listener, document, values, CASES_PER_OPERATION));
  if (!outcome.isClean) say(outcome.output);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  const counts = `${countOperations(document)} operations, ${outcome.cases} cases, ${outcome.accepted} accepted`;
  say(`${outcome.isClean ? 'ok  ' : 'FAIL'} ${listener.name}: ${counts}, ${seconds} s`);
  return outcome;
}

/** Negative control: the fuzzer must report faults against a document that no response can match. */
async function detectsWrongDocument(python: string, listener: Listener, values: KnownValues): Promise<boolean> {
  const document = withImpossibleResponses(await documentOf(listener));
  const { isClean, cases } = await runFuzzer(python, await targetOf(listener, document, values, 1));
  const isDetected = !isClean && cases > 0;
  say(`${isDetected ? 'ok  ' : 'FAIL'} negative control: a wrong document is ${isDetected ? '' : 'not '}detected`);
  return isDetected;
}

async function documentOf({ url, apiKey }: Listener): Promise<OpenApiDocument> {
  const response = await fetch(new URL('/openapi.json', url), { headers: { 'x-api-key': apiKey } });
  if (!response.ok) throw new Error(`${url}/openapi.json responded with ${response.status}`);
  return (await response.json()) as OpenApiDocument;
}

async function targetOf(
  { url, apiKey }: Listener,
  document: OpenApiDocument,
  values: KnownValues,
  casesPerOperation: number,
): Promise<Target> {
  const folder = await mkdtemp(path.join(await temporaryParent(), 'partner-booking-fuzz-'));
  cleanup.add(() => rm(folder, { recursive: true, force: true }));
  return { url, apiKey, document, values, seed: SEED, casesPerOperation, deadlineMs: DEADLINE_MS, folder };
}

let isGood = false;
onStopSignal(() => void cleanup.run().then(() => process.exit(1)));
try {
  isGood = await main();
} catch (error) {
  console.error((error as Error).message);
} finally {
  await cleanup.run();
}
process.exit(isGood ? 0 : 1);
