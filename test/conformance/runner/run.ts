import { stripVTControlCharacters } from 'node:util';
import { eventually } from '../../support/eventually.ts';
import { expectStatus, json, operatorOf } from '../../support/factories.ts';
import { inParallel } from '../../support/in-parallel.ts';
import { type Receivers, startReceivers } from '../../support/receiver.ts';
import type { Listeners } from '../../support/service-environment.ts';
import { errorOf } from '../../support/verdict.ts';
import { NotTried, type Row } from '../row.ts';
import { createWorlds, runRow, type Worlds } from '../world.ts';
import { type RunnerOptions, UsageError } from './options.ts';
import type { Outcome } from './report.ts';

/** Concurrent rows. */
const AT_A_TIME = 8;
/** How long the deployment may take to deliver a sample. */
const SAMPLE_DEADLINE_MS = 20_000;

type Run = { rows: readonly Row[]; say: (line: string) => void; stopping: AbortSignal };

/**
 * Runs the rows on a deployment; returns the result of each. Creates partners and venues, and afterwards ends them:
 * revokes keys, suspends partners, and deactivates subscriptions and venues.
 * @throws UsageError if the deployment cannot be reached, rejects the key, or is not a sandbox
 */
export async function runConformance(
  { baseUrl, adminUrl, operatorKey, receiver }: RunnerOptions,
  { rows, say, stopping }: Run,
): Promise<Outcome[]> {
  const deployment = { url: baseUrl, adminUrl, operatorKey };
  await requireSandbox(deployment);
  const receivers = await reachableReceivers(deployment, receiver, say);
  const worlds = createWorlds(deployment, receivers);
  try {
    return await runAll(rows, worlds, { say, stopping });
  } finally {
    say('Ending the partners and venues of the run …');
    await end(deployment, worlds.made, say);
    if (!('missing' in receivers)) await receivers.close().catch((err: Error) => say(err.message));
  }
}

async function runAll(rows: readonly Row[], worlds: Worlds, { say, stopping }: Omit<Run, 'rows'>): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  await inParallel(rows.entries(), AT_A_TIME, async ([index, row]) => {
    if (stopping.aborted) return;
    outcomes[index] = { row, result: await resultOf(row, worlds) };
    const done = outcomes.filter(Boolean).length;
    if (done % 25 === 0) say(`${done} of ${rows.length} checks …`);
  });
  return outcomes.filter(Boolean);
}

async function resultOf(row: Row, worlds: Worlds): Promise<Outcome['result']> {
  try {
    const missing = await runRow(row, worlds);
    return missing.length === 0 ? 'kept' : { broken: `Not seen: ${missing.join(', ')}` };
  } catch (err) {
    if (err instanceof NotTried) return { notTried: err.message };
    return { broken: stripVTControlCharacters(err instanceof Error ? err.message : String(err)) };
  }
}

/** @throws UsageError */
async function requireSandbox(deployment: Listeners): Promise<void> {
  const unreachable = (option: string, url: string) => (err: Error) => {
    throw new UsageError(`${option} ${url} cannot be reached: ${err.message}`);
  };
  const partners = await operatorOf(deployment)
    .get('/api/v1/operator/partners?limit=1')
    .catch(unreachable('--admin-url', deployment.adminUrl));
  if (partners.status !== 200)
    throw new UsageError(
      `--admin-url ${deployment.adminUrl} rejects --operator-key: ${partners.status} ${partners.text}`,
    );
  const { anyWorld, made } = createWorlds(deployment, { missing: '' });
  const probe = await anyWorld()
    .partner()
    .catch((err: Error) => {
      throw new UsageError(`--base-url is no sandbox: a new partner gets no key. ${err.message}`);
    });
  try {
    const me = await probe.api.get('/api/v1/partner/me').catch(unreachable('--base-url', deployment.url));
    if (me.status !== 200 || (me.body as { mode?: unknown }).mode !== 'sandbox')
      throw new UsageError(
        `--base-url ${deployment.url} is no sandbox of the deployment at --admin-url: ${me.status} ${me.text}`,
      );
  } finally {
    await end(deployment, made, () => undefined);
  }
}

/** Receivers to which the deployment has delivered a sample, or why there are none. */
async function reachableReceivers(
  deployment: Listeners,
  wanted: RunnerOptions['receiver'],
  say: Run['say'],
): Promise<Receivers | { missing: string }> {
  const isLocal = ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(deployment.url).hostname);
  if (wanted === undefined && !isLocal)
    return { missing: 'needs a receiver that the deployment can reach (--receiver-bind, --receiver-url)' };
  const receivers = await startReceivers(wanted).catch((err: Error) => {
    throw new UsageError(`--receiver-bind: ${err.message}`);
  });
  const worlds = createWorlds(deployment, receivers);
  const { api } = await worlds.anyWorld().partner();
  const { url, received } = receivers.open();
  try {
    const body = { endpoint_url: url, event_types: ['hold_created'] };
    const made = await api.post('/api/v1/partner/webhooks', body);
    if (made.status !== 201) throw new Error(`${url} is rejected: ${errorOf(made).message}`);
    const { id } = json(made);
    expectStatus(await api.post(`/api/v1/partner/webhooks/${String(id)}/test`), 202);
    await eventually(`a sample at ${url}`, () => received.length > 0, SAMPLE_DEADLINE_MS);
    return receivers;
  } catch (err) {
    await receivers.close();
    const missing = `the deployment reaches no receiver here. ${(err as Error).message}`;
    say(missing);
    return { missing };
  } finally {
    await end(deployment, worlds.made, say);
  }
}

/** Ends these partners and venues; reports those that cannot be ended. */
async function end(deployment: Listeners, made: Worlds['made'], say: Run['say']): Promise<void> {
  const operator = operatorOf(deployment);
  const prefix = '/api/v1/operator';
  const itemsOf = async (path: string, name: string): Promise<string[]> => {
    const { data } = expectStatus(await operator.get(`${prefix}/${path}`), 200);
    return (data as Record<string, unknown>[]).map((item) => String(item[name]));
  };
  const endPartner = async (id: string) => {
    for (const webhook of await itemsOf(`webhooks?partner_id=${id}&status=active`, 'id')) {
      expectStatus(await operator.post(`${prefix}/webhooks/${webhook}/deactivate`), 200);
    }
    for (const key of await itemsOf(`partners/${id}/keys`, 'key_id')) {
      await operator.delete(`${prefix}/partners/${id}/keys/${key}`);
    }
    expectStatus(await operator.patch(`${prefix}/partners/${id}`, { status: 'suspended' }), 200);
  };
  const endVenue = async (id: string) => {
    expectStatus(await operator.patch(`${prefix}/venues/${id}`, { status: 'inactive' }), 200);
  };
  const steps = [
    ...made.partners.map((id) => ({ what: `partner ${id}`, step: () => endPartner(id) })),
    ...made.venues.map((id) => ({ what: `venue ${id}`, step: () => endVenue(id) })),
  ];
  await inParallel(steps, AT_A_TIME, ({ what, step }) =>
    step().catch((err: Error) => say(`${what} could not be ended: ${err.message}`)),
  );
}
