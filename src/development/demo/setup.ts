/** Sets up the demo: a running service, venues, and a new partner. */

import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createPartnerClient, type PartnerClient } from '../../../packages/client/src/index.ts';
import type { Cleanup } from '../cleanup.ts';
import { apiCaller, field, textField } from '../embedded/api-caller.ts';
import { readState } from '../embedded/data-folder.ts';
import { nodeArguments } from '../embedded/processes.ts';
import { type Environment, runCommand } from '../embedded/run-command.ts';
import { until } from '../embedded/until.ts';
import { type RunningSystem, startTemporarySystem } from '../start/system.ts';
import { requireEqual, requireRejected } from './checks.ts';
import type { Transcript } from './transcript.ts';

const operatorCommand = fileURLToPath(new URL('../../cli/operator.ts', import.meta.url));
const projectFolder = fileURLToPath(new URL('../../..', import.meta.url));
const venuesFile = 'examples/venues/venues.yaml';
const venueName = 'Indiranagar Football Park';

export type Seller = {
  client: PartnerClient;
  /** Its calls are not printed. */
  quietClient: PartnerClient;
  venueId: string;
  transcript: Transcript;
};

/**
 * The running service on `PORT` and `ADMIN_PORT`, with the operator key of `OPERATOR_API_KEY` or `DATA_DIR`; if none is
 * running, or `PORT` is 0, a service started for this run.
 * @throws Error that says what to do
 */
export async function findSystem(env: Environment, cleanup: Cleanup, transcript: Transcript): Promise<RunningSystem> {
  const url = `http://127.0.0.1:${env['PORT'] || 3000}`;
  const isRunning = env['PORT'] !== '0' && (await isService(url));
  if (!isRunning) transcript.note('Starting a system for this run, on free ports and in a temporary folder:');
  const system = isRunning
    ? await describeRunning(env, url)
    : await startTemporarySystem(env, cleanup, transcript.note);
  transcript.passed(`the service responds at ${system.url}, its admin listener at ${system.adminUrl}`);
  return system;
}

/** Recognises the service by its `/readyz`, ready or not. */
async function isService(url: string): Promise<boolean> {
  try {
    const response = await fetch(new URL('/readyz', url), { signal: AbortSignal.timeout(5_000) });
    return field(await response.json(), 'database') !== undefined;
  } catch {
    return false;
  }
}

async function describeRunning(env: Environment, url: string): Promise<RunningSystem> {
  const dataDir = env['DATA_DIR'] || '.data';
  const operatorApiKey = env['OPERATOR_API_KEY'] || (await readState(dataDir, 'secrets.json'))['operatorApiKey'];
  if (typeof operatorApiKey === 'string')
    return { url, adminUrl: `http://127.0.0.1:${env['ADMIN_PORT'] || 3001}`, operatorApiKey };
  throw new Error(
    `A service is running at ${url}, but ${path.join(dataDir, 'secrets.json')} contains no operator key for it. Set ` +
      'OPERATOR_API_KEY, or DATA_DIR to its folder; or let the demo start a service of its own: PORT=0 npm run demo',
  );
}

/** Imports the example venues, without grants; existing venues stay. */
export async function importVenues(system: RunningSystem, transcript: Transcript): Promise<void> {
  const credentials = { OPERATOR_URL: system.adminUrl, OPERATOR_API_KEY: system.operatorApiKey };
  const env = { ...process.env, ...credentials, COLUMNS: '74' };
  const run = async (...options: string[]): Promise<string> => {
    transcript.note(['npm run operator -- import', venuesFile, ...options].join(' '));
    const args = [...nodeArguments(operatorCommand), 'import', path.join(projectFolder, venuesFile), ...options];
    const printed = await runCommand(process.execPath, args, env);
    const summary = printed.slice(Math.max(0, printed.search(/^(To |Nothing)/m))).trimEnd();
    transcript.note(summary);
    return summary;
  };
  await run('--dry-run');
  await run();
  transcript.passed('3 venues, 14 resources, their schedules and prices agree with the file');
  requireEqual('the second import', (await run()).startsWith('Nothing to change'), true);
  transcript.passed('the same file again changes nothing');
}

/**
 * Creates a partner for this run: a fixed one would run out of its 20 subscriptions, which cannot be deleted. The new
 * partner is suspended at the end, so that nothing more is sent to its subscriptions.
 */
export async function createPartner(system: RunningSystem, transcript: Transcript, cleanup: Cleanup) {
  const prefix = '/api/v1/operator';
  const quietOperator = apiCaller(system.adminUrl, system.operatorApiKey);
  const operator = apiCaller(system.adminUrl, system.operatorApiKey, transcript.fetch);
  const listed = await quietOperator('GET', `${prefix}/venues?limit=200`);
  const venues = (field(listed, 'data') ?? []) as { venue_id: string; name: string }[];
  const venueId = venues.find(({ name }) => name === venueName)?.venue_id ?? '';
  const partner = {
    name: `Demo run of ${new Date().toISOString()}`,
    contact_email: 'developer@demo-run.example.com',
  };
  const partnerId = textField(await operator('POST', `${prefix}/partners`, partner), 'partner_id');
  const partnerPath = `${prefix}/partners/${partnerId}`;
  const suspension = ['PATCH', partnerPath, { status: 'suspended' }] as const;
  cleanup.add(() => quietOperator(...suspension));
  const apiKey = textField(await operator('POST', `${partnerPath}/keys`, { label: 'npm run demo' }), 'api_key');
  await operator('PUT', `${partnerPath}/venues/${venueId}`);
  transcript.passed('a partner that may sell one venue; every call below carries its key');

  const client = createPartnerClient({ baseUrl: system.url, apiKey, fetch: transcript.fetch });
  const quietClient = createPartnerClient({ baseUrl: system.url, apiKey });
  const suspend = async (): Promise<void> => {
    await operator(...suspension);
    await until('the key of a suspended partner is rejected', () =>
      quietClient.listVenues().then(
        () => false,
        () => true,
      ),
    );
    await requireRejected(client.listVenues(), 'PARTNER_SUSPENDED');
    transcript.passed('its key is rejected, and nothing more is sent to its endpoints');
  };
  return { client, quietClient, venueId, transcript, suspend };
}
