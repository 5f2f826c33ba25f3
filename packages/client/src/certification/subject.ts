import type { Transport } from './actions.ts';
import { commandTransport } from './command-transport.ts';
import { OWN_CURSORS } from './feed-pages.ts';
import type { Defect } from './model/defects.ts';
import { startModelIntegration } from './model/model-integration.ts';
import type { Profile } from './profile.ts';
import { ProfileError } from './profile.ts';
import { callsOf } from './proxied-calls.ts';
import type { Proxy } from './proxy.ts';
import { startProxy } from './proxy.ts';
import { Unreached, UnusableAnswer } from './scenario.ts';
import { httpTransport } from './transports.ts';

/** A partner's integration, or the built-in model, which tests the deployment itself. */
export type Candidate = { mode: 'partner'; profile: Profile } | { mode: 'service'; defects?: readonly Defect[] };

/** The run cannot begin, or cannot continue. The message says why and what to do. */
export class CannotBegin extends Error {
  override readonly name = 'CannotBegin';
}

/** A candidate that is connected to the proxy. */
export type Subject = { name: string; transport: Transport; webhookUrl: string; close(): Promise<void> };

/** @throws ProfileError if the port is taken */
export async function openProxy(baseUrl: string, port: number, onAnswer: (headers: Headers) => void): Promise<Proxy> {
  try {
    return await startProxy({ baseUrl, port, onAnswer, standing: [OWN_CURSORS] });
  } catch (error) {
    const { code = 'unknown reason' } = error as NodeJS.ErrnoException;
    throw new ProfileError([`proxy_port: 127.0.0.1:${port} cannot be listened on (${code}); give a free port`]);
  }
}

export async function connectSubject(
  candidate: Candidate,
  apiKey: string,
  proxy: Proxy,
  signal: AbortSignal,
): Promise<Subject> {
  if (candidate.mode === 'service') {
    const model = await startModelIntegration({ baseUrl: proxy.url, apiKey, defects: candidate.defects ?? [] });
    return { ...model, name: 'model integration' };
  }
  const { name, actions, webhookUrl } = candidate.profile;
  const environment = { PARTNER_BASE_URL: proxy.url, PARTNER_API_KEY: apiKey };
  const transport =
    'url' in actions ? httpTransport(actions.url, signal) : commandTransport(actions.command, environment, signal);
  return { name, webhookUrl, transport, close: async () => undefined };
}

export const bypassMessage = ({ url }: Proxy): string =>
  `The integration placed a hold without a call through the proxy: it calls the sandbox directly, so the runner cannot see or undo its calls. Start it with the base URL ${url} (the proxy_port of the profile), then certify it again.`;

/** @throws CannotBegin if the integration is not running: every scenario would fail */
export async function requireReachable(transport: Transport): Promise<void> {
  try {
    await transport('list_venues', {});
  } catch (error) {
    if (error instanceof Unreached)
      throw new CannotBegin(
        `The integration was not reached: ${error.message} Start it, or correct the field actions of the profile.`,
      );
    if (!(error instanceof UnusableAnswer)) throw error;
  }
}

/** Performs actions until the signal aborts. `onBypass` gets the id of a hold that did not pass the proxy. */
export function watchedTransport(
  transport: Transport,
  proxy: Pick<Proxy, 'calls'>,
  signal: AbortSignal,
  onBypass: (holdId: string) => Promise<void>,
): Transport {
  return async (action, input) => {
    signal.throwIfAborted();
    const answer = await transport(action, input);
    const holdId = (answer as { hold_id?: unknown } | null)?.hold_id;
    const isHold = action === 'place_hold' && typeof holdId === 'string';
    if (isHold && !proxy.calls.some(callsOf('placeHold'))) await onBypass(holdId);
    return answer;
  };
}
