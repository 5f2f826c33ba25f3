import { randomBytes } from 'node:crypto';
import { createPartnerClient } from '../client.ts';
import { createIntegration } from './actions.ts';
import { createCallBudget } from './call-budget.ts';
import { cleanUp } from './clean-up.ts';
import { watchFeed } from './feed-watch.ts';
import { recordOwnCalls } from './own-calls.ts';
import type { Report } from './report.ts';
import { summaryOf, verdictOf } from './report.ts';
import type { RunOptions } from './run-scenario.ts';
import { runAll } from './run-scenario.ts';
import { createRunningWork } from './running-work.ts';
import { createSandbox } from './sandbox.ts';
import { SUITE_VERSION } from './scenarios.ts';
import type { Candidate, Subject } from './subject.ts';
import {
  bypassMessage,
  CannotBegin,
  connectSubject,
  openProxy,
  requireReachable,
  watchedTransport,
} from './subject.ts';
import type { Trial } from './trial.ts';

export type CertificationOptions = RunOptions & {
  /** The sandbox, without a trailing slash. */
  baseUrl: string;
  apiKey: string;
  subject: Candidate;
  /** Ends the run: the runner cleans up and reports the remaining scenarios as not tried. */
  signal: AbortSignal;
};

/**
 * Runs the scenarios against an integration on a sandbox; resolves to the report, also if the run is interrupted.
 * @throws ProfileError, CannotBegin, PartnerApiError or PartnerConnectionError if the run cannot begin or continue
 */
export async function certify(options: CertificationOptions): Promise<Report> {
  const { baseUrl, apiKey, subject: candidate } = options;
  // Aborts if the run is interrupted or the integration bypasses the proxy.
  const stop = new AbortController();
  const { signal } = stop;
  const startedAt = new Date();
  const budget = createCallBudget();
  const observed = async (request: Request) => {
    const response = await fetch(request);
    budget.observe(response.headers);
    return response;
  };
  const client = createPartnerClient({ baseUrl, apiKey, fetch: observed });
  const own = recordOwnCalls(baseUrl, observed, signal);
  const actions = createRunningWork();
  const me = await client.getMe({}, { signal: options.signal });
  if (me.mode !== 'sandbox')
    throw new CannotBegin(
      `This is a ${me.mode} deployment, and certification sells and cancels slots. Give the address of a sandbox.`,
    );
  const port = candidate.mode === 'partner' ? candidate.profile.proxyPort : 0;
  const proxy = await openProxy(baseUrl, port, budget.observe);
  // A failed clean-up must not lose the report.
  const giveBack = () => cleanUp({ actions, own, proxy }, client).catch(() => undefined);
  const interrupt = () => stop.abort(options.signal.reason);
  if (options.signal.aborted) interrupt();
  options.signal.addEventListener('abort', interrupt, { once: true });
  let subject: Subject | undefined;
  try {
    subject = await connectSubject(candidate, apiKey, proxy, signal);
    if (candidate.mode === 'partner') await requireReachable(subject.transport);
    proxy.forget();
    const run = randomBytes(5).toString('hex');
    let orders = 0;
    const act = watchedTransport(subject.transport, proxy, signal, async (holdId) => {
      await client.releaseHold({ path: { holdId } }).catch(() => undefined);
      stop.abort(new CannotBegin(bypassMessage(proxy)));
    });
    const trial: Trial = {
      proxy,
      signal,
      webhookUrl: subject.webhookUrl,
      sandbox: createSandbox(createPartnerClient({ baseUrl, apiKey, fetch: own.send })),
      integration: createIntegration((action, input) => actions.add(act(action, input))),
      feed: watchFeed(client, signal),
      newOrder: () => {
        orders += 1;
        return `certification-${run}-${orders}`;
      },
    };
    const scenarios = await runAll(options, trial, () => budget.wait(signal), giveBack);
    if (signal.reason instanceof CannotBegin) throw signal.reason;
    const summary = summaryOf(scenarios);
    return {
      format: 'partner-booking-certification/1',
      mode: candidate.mode,
      suite_version: SUITE_VERSION,
      partner_id: me.partner_id,
      integration: subject.name,
      base_url: baseUrl,
      started_at: startedAt.toISOString(),
      ended_at: new Date().toISOString(),
      verdict: verdictOf(summary),
      summary,
      scenarios,
    };
  } finally {
    options.signal.removeEventListener('abort', interrupt);
    await subject?.close();
    // An interrupted integration may have made calls until now.
    await proxy.close();
    await giveBack();
  }
}
