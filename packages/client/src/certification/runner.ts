import { randomBytes } from 'node:crypto';
import { createPartnerClient } from '../client.ts';
import type { Schemas } from '../operation-types.ts';
import type { Transport } from './actions.ts';
import { createIntegration } from './actions.ts';
import { createCallBudget } from './call-budget.ts';
import { cleanUp } from './clean-up.ts';
import { commandTransport } from './command-transport.ts';
import { OWN_CURSORS } from './feed-pages.ts';
import { watchFeed } from './feed-watch.ts';
import type { Defect } from './model/defects.ts';
import { startModelIntegration } from './model/model-integration.ts';
import { noteOwnCalls } from './own-calls.ts';
import type { Profile } from './profile.ts';
import { ProfileError } from './profile.ts';
import type { Proxy, ProxyOptions } from './proxy.ts';
import { startProxy } from './proxy.ts';
import type { Report, ScenarioReport } from './report.ts';
import { summaryOf, verdictOf } from './report.ts';
import { notTried, runScenario } from './run-scenario.ts';
import { createSandbox } from './sandbox.ts';
import type { Scenario } from './scenario.ts';
import { Unreached, UnusableAnswer } from './scenario.ts';
import { SCENARIOS, SUITE_VERSION } from './scenarios.ts';
import { httpTransport } from './transports.ts';
import type { Trial } from './trial.ts';
import { createUnderWay } from './under-way.ts';
import { watchedTransport } from './watched-transport.ts';

export type CertificationOptions = {
  /** The sandbox, without a slash at its end. */
  baseUrl: string;
  apiKey: string;
  /** A partner's integration, or the model of one, by which the deployment itself is judged. */
  subject: { mode: 'partner'; profile: Profile } | { mode: 'service'; defects?: readonly Defect[] };
  /** Which scenarios are tried; all unless stated. The others are reported as not tried. */
  isChosen?: (scenario: Scenario) => boolean;
  /** Is told when a scenario begins, and what came of it. */
  onBegin?: (scenario: Scenario) => void;
  onEnd?: (report: ScenarioReport) => void;
  /** Ends the run: what was made is cleaned up, and the rest reported as not tried. */
  signal: AbortSignal;
};

/** The run cannot begin, or nothing would be learnt of it; the message says why, and what to do. */
export class CannotBegin extends Error {
  override readonly name = 'CannotBegin';
}

type Subject = { name: string; transport: Transport; webhookUrl: string; close(): Promise<void> };

/**
 * Drives an integration through the scenarios on a sandbox, one after the other; resolves to the report, also where it is interrupted.
 * @throws ProfileError, CannotBegin, PartnerApiError or PartnerConnectionError where it cannot begin, or does not pass the proxy
 */
export async function certify(options: CertificationOptions): Promise<Report> {
  const { baseUrl, apiKey, subject: judged } = options;
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
  const own = noteOwnCalls(baseUrl, observed, signal);
  const actions = createUnderWay();
  const me = requireSandbox(await client.getMe({}, { signal: options.signal }));
  const port = judged.mode === 'partner' ? judged.profile.proxyPort : 0;
  const proxy = await openProxy({ baseUrl, port, onAnswer: budget.observe, standing: [OWN_CURSORS] });
  // One that fails is not worth the report.
  const giveBack = () => cleanUp({ actions, own, proxy }, client).catch(() => undefined);
  const interrupt = () => stop.abort(options.signal.reason);
  if (options.signal.aborted) interrupt();
  options.signal.addEventListener('abort', interrupt, { once: true });
  let subject: Subject | undefined;
  try {
    subject = await connectSubject({ ...options, signal }, proxy);
    if (judged.mode === 'partner') await requireReachable(subject.transport);
    proxy.forget();
    const run = randomBytes(5).toString('hex');
    let orders = 0;
    const act = watchedTransport(subject.transport, proxy, signal, async (holdId) => {
      await client.releaseHold({ path: { holdId } }).catch(() => undefined);
      stop.abort(new CannotBegin(pastProxy(proxy)));
    });
    const trial: Trial = {
      ...{ proxy, signal, webhookUrl: subject.webhookUrl },
      sandbox: createSandbox(createPartnerClient({ baseUrl, apiKey, fetch: own.send })),
      integration: createIntegration((action, input) => actions.add(act(action, input))),
      feed: watchFeed(client, signal),
      newOrder: () => {
        orders += 1;
        return `certification-${run}-${orders}`;
      },
    };
    const scenarios = await runAll({ ...options, signal }, trial, () => budget.wait(signal), giveBack);
    if (signal.reason instanceof CannotBegin) throw signal.reason;
    return reportOf(options, me, subject.name, startedAt, scenarios);
  } finally {
    options.signal.removeEventListener('abort', interrupt);
    await subject?.close();
    // An integration that was interrupted may have gone on until now.
    await proxy.close();
    await giveBack();
  }
}

async function runAll(
  { isChosen = () => true, onBegin, onEnd, signal }: CertificationOptions,
  trial: Trial,
  haveCallsLeft: () => Promise<void>,
  giveBack: () => Promise<void>,
): Promise<ScenarioReport[]> {
  const reports: ScenarioReport[] = [];
  for (const scenario of SCENARIOS) {
    if (!isChosen(scenario)) {
      reports.push(notTried(scenario, 'It was not chosen for this run.'));
      continue;
    }
    await haveCallsLeft().catch(() => undefined);
    if (signal.aborted) {
      reports.push(notTried(scenario, 'The run was interrupted.'));
      continue;
    }
    onBegin?.(scenario);
    const report = await runScenario(scenario, trial, giveBack);
    reports.push(report);
    onEnd?.(report);
  }
  return reports;
}

function reportOf(
  { baseUrl, subject }: CertificationOptions,
  { partner_id }: Schemas['Me'],
  integration: string,
  startedAt: Date,
  scenarios: ScenarioReport[],
): Report {
  const summary = summaryOf(scenarios);
  return {
    ...{ format: 'partner-booking-certification/1', mode: subject.mode, suite_version: SUITE_VERSION },
    ...{ partner_id, integration, base_url: baseUrl },
    ...{ started_at: startedAt.toISOString(), ended_at: new Date().toISOString() },
    ...{ verdict: verdictOf(summary), summary, scenarios },
  };
}

function requireSandbox(me: Schemas['Me']): Schemas['Me'] {
  if (me.mode !== 'sandbox')
    throw new CannotBegin(
      `This is a ${me.mode} deployment, and certification sells and cancels slots. Give the address of a sandbox.`,
    );
  return me;
}

async function openProxy(options: ProxyOptions): Promise<Proxy> {
  try {
    return await startProxy(options);
  } catch (error) {
    const { code = 'unknown reason' } = error as NodeJS.ErrnoException;
    throw new ProfileError([
      `proxy_port: 127.0.0.1:${options.port} cannot be listened on (${code}); give a free port`,
    ]);
  }
}

async function connectSubject(
  { apiKey, subject, signal }: CertificationOptions,
  proxy: Proxy,
): Promise<Subject> {
  if (subject.mode === 'service') {
    const model = await startModelIntegration({ baseUrl: proxy.url, apiKey, defects: subject.defects ?? [] });
    return { ...model, name: 'model integration' };
  }
  const { name, actions, webhookUrl } = subject.profile;
  const environment = { PARTNER_BASE_URL: proxy.url, PARTNER_API_KEY: apiKey };
  const transport =
    'url' in actions
      ? httpTransport(actions.url, signal)
      : commandTransport(actions.command, environment, signal);
  return { name, webhookUrl, transport, close: async () => undefined };
}

const pastProxy = ({ url }: Proxy): string =>
  `The integration placed a hold, and no call for it came through the proxy: it calls the sandbox itself, where nothing is seen or given back. Start it with the base URL ${url}, the proxy_port of the profile, and certify it again.`;

/** Nothing would be learnt of an integration that does not run. */
async function requireReachable(transport: Transport): Promise<void> {
  try {
    await transport('list_venues', {});
  } catch (error) {
    if (error instanceof Unreached)
      throw new CannotBegin(
        `The integration was not reached: ${error.message} Start it, or mend actions in the profile.`,
      );
    if (!(error instanceof UnusableAnswer)) throw error;
  }
}
