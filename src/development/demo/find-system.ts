/** Finds the running service that the demo is about, or starts one for it. */

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseUrl } from '../../platform/parse-url.ts';
import { field } from '../embedded/api-caller.ts';
import { readState, textIn } from '../embedded/data-folder.ts';
import { isAlive } from '../embedded/processes.ts';
import { startSystem } from './start-system.ts';
import type { Cleanup } from './step-context.ts';
import type { Transcript } from './transcript.ts';

const probeTimeoutMs = 5_000;

export type FoundSystem = {
  url: string;
  adminUrl: string;
  operatorApiKey: string;
  /** The venue that `npm start` has set up, if it has. */
  venueId: string | undefined;
};

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The service at `DEMO_URL` and `DEMO_ADMIN_URL`; else the one on `PORT` and `ADMIN_PORT` of this machine; else one
 * that is started for this run. The operator key is `OPERATOR_API_KEY`, or the one that `DATA_DIR` keeps.
 *
 * @throws Error in a sentence that says what is in the way and what to do
 */
export async function findSystem(
  env: Environment,
  cleanup: Cleanup,
  transcript: Transcript,
): Promise<FoundSystem> {
  const dataDir = env['DATA_DIR'] || '.data';
  const given = env['DEMO_URL'];
  if (given) return useRunning(given, requireAdminUrl(env), env, dataDir, transcript);

  if (env['PORT'] !== '0') {
    const url = `http://127.0.0.1:${env['PORT'] || 3000}`;
    const responder = await whoResponds(url);
    if (responder === 'the service') {
      return useRunning(url, `http://127.0.0.1:${env['ADMIN_PORT'] || 3001}`, env, dataDir, transcript);
    }
    await requireFolderUnused(dataDir, url);
    transcript.note(
      responder === 'nobody' ? `Nothing is running at ${url}.` : `${url} is taken by another program.`,
    );
  }
  transcript.note('Starting a system for this run, on free ports and in a temporary folder:');
  const started = await startSystem(env, cleanup, transcript.note);
  return useRunning(started.url, started.adminUrl, {}, started.dataDir, transcript);
}

async function useRunning(
  url: string,
  adminUrl: string,
  env: Environment,
  dataDir: string,
  transcript: Transcript,
): Promise<FoundSystem> {
  const responder = await whoResponds(url);
  if (responder !== 'the service') {
    const what = responder === 'nobody' ? 'Nothing responds' : 'Another program responds';
    throw new Error(`${what} at ${url}. Start the service (npm start), or unset DEMO_URL.`);
  }
  const operatorApiKey =
    env['OPERATOR_API_KEY'] || textIn(await readState(dataDir, 'secrets.json'), 'operatorApiKey');
  if (!operatorApiKey) {
    throw new Error(
      `A service is running at ${url}, but ${path.join(dataDir, 'secrets.json')} contains no operator key for it. Set ` +
        'OPERATOR_API_KEY, or DATA_DIR to its folder; or let the demo start a service of its own: PORT=0 npm run demo',
    );
  }
  await requireOperator(adminUrl, operatorApiKey);
  const venueId = textIn(await readState(dataDir, 'demo.json'), 'venueId');
  transcript.passed(`the service responds at ${url}, its admin listener at ${adminUrl}`);
  return { url, adminUrl, operatorApiKey, venueId };
}

/** Told apart by the response of `/readyz`, ready or not. */
async function whoResponds(url: string): Promise<'the service' | 'nobody' | 'another program'> {
  try {
    const response = await fetch(new URL('/readyz', url), { signal: AbortSignal.timeout(probeTimeoutMs) });
    const body: unknown = await response.json().catch(() => undefined);
    return typeof field(body, 'database') === 'string' ? 'the service' : 'another program';
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    return field(cause, 'code') === 'ECONNREFUSED' ? 'nobody' : 'another program';
  }
}

async function requireOperator(adminUrl: string, operatorApiKey: string): Promise<void> {
  const response = await fetch(new URL('/api/v1/operator/venues', adminUrl), {
    headers: { 'x-api-key': operatorApiKey },
    signal: AbortSignal.timeout(probeTimeoutMs),
  }).catch((error: unknown) => {
    throw new Error(`The admin listener at ${adminUrl} does not respond. Set ADMIN_PORT or DEMO_ADMIN_URL.`, {
      cause: error,
    });
  });
  if (response.ok) return;
  const why = response.status === 401 ? 'rejects the operator key' : `responds with ${response.status}`;
  throw new Error(
    `The admin listener at ${adminUrl} ${why}. Set OPERATOR_API_KEY to its key, or DATA_DIR to the folder of its secrets.json.`,
  );
}

function requireAdminUrl(env: Environment): string {
  const [url = '', adminUrl = ''] = [env['DEMO_URL'], env['DEMO_ADMIN_URL']];
  if (parseUrl(url) !== undefined && parseUrl(adminUrl) !== undefined) return adminUrl;
  throw new Error(
    'DEMO_URL and DEMO_ADMIN_URL must both be set, to addresses such as http://127.0.0.1:3000 and ' +
      'http://127.0.0.1:3001 (the operator side).',
  );
}

/** A system that has the folder but not the port would be passed over. */
async function requireFolderUnused(dataDir: string, url: string): Promise<void> {
  const lock = await readFile(path.join(dataDir, 'lock'), 'utf8').catch(() => '');
  const [pid = ''] = lock.split(' ');
  if (!isAlive(Number(pid))) return;
  throw new Error(
    `A system runs on ${dataDir} (process ${pid}), but not at ${url}. It may still be starting; otherwise say where it ` +
      'is: DEMO_URL=http://127.0.0.1:... DEMO_ADMIN_URL=http://127.0.0.1:... npm run demo',
  );
}
