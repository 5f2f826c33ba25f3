import { setMaxListeners } from 'node:events';
import { Agent, type Dispatcher } from 'undici';
import type { PortRange } from '../config/port-ranges.rules.ts';
import { parseUrl } from '../platform/parse-url.ts';
import { createCheckedConnect } from './checked-connect.ts';
import type { FailureCause, SendOutcome } from './collect-response.ts';
import { collectResponse } from './collect-response.ts';
import { type ConnectOnDemand, createConnectOnDemand } from './connect-on-demand.ts';
import { deliveryErrorOf } from './delivery-error.rules.ts';
import { type ResolveAddresses, resolverFor } from './resolve-addresses.ts';

// A receiver that closes idle connections while a request is on its way would cost the delivery an attempt. Most wait
// longer than a second; those that announce a longer time in `Keep-Alive` are taken at their word, up to the maximum.
const IDLE_CONNECTION_MS = 1_000;
const MAX_IDLE_CONNECTION_MS = 30_000;

export type WebhookSenderOptions = {
  /** The one deadline of an exchange: connecting, head and body of the response together. */
  timeoutMs: number;
  /** Development only: also sends over plain `http`, to any port and to addresses that are not public. */
  allowPrivateNetworks: boolean;
  /** The ports to which is sent; `WEBHOOK_PORTS` unless given. */
  ports?: readonly PortRange[];
  /** How names become addresses; `resolverFor` unless given. */
  resolve?: ResolveAddresses;
};

export type WebhookMessage = {
  url: string;
  headers: Record<string, string>;
  /** The exact bytes that were signed; a string is sent as UTF-8. */
  body: Buffer | string;
  /** Aborting it ends the exchange as `interrupted`; one signal may serve any number of sends. */
  signal?: AbortSignal;
};

export type WebhookSender = {
  /**
   * POSTs a message once and never rejects. Success is a 2xx whose response was complete within the deadline; a response
   * longer than 16 KB counts as complete there and its connection is dropped. A status other than 2xx decides alone,
   * whatever becomes of its body; more than 20 interim responses (1xx) before it are a `network_error`. Redirects are not followed
   * and nothing is sent twice.
   */
  send(message: WebhookMessage): Promise<SendOutcome>;
  /** Waits for the exchanges in progress, then closes all connections; sends from now on are `interrupted`. */
  close(): Promise<void>;
};

/** Makes a sender with its own pool of kept-alive connections, which are opened by `createCheckedConnect` only. */
export function createWebhookSender(options: WebhookSenderOptions): WebhookSender {
  const resolve = options.resolve ?? resolverFor(options);
  const { connect, waitFor } = createConnectOnDemand(createCheckedConnect({ ...options, resolve }));
  const agent = new Agent({
    connect,
    // The deadline covers both, and undici's timers are coarse.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: IDLE_CONNECTION_MS,
    keepAliveMaxTimeout: MAX_IDLE_CONNECTION_MS,
  });
  const inProgress = new Set<Promise<SendOutcome>>();
  let closed = false;
  return {
    async send(message) {
      if (closed || message.signal?.aborted === true) return notSent('interrupted');
      if (parseUrl(message.url) === undefined) return notSent('network_error');
      const exchange = post(message, options.timeoutMs, { agent, waitFor });
      inProgress.add(exchange);
      return exchange.finally(() => inProgress.delete(exchange));
    },
    async close() {
      closed = true;
      await Promise.all(inProgress);
      await agent.destroy();
    },
  };
}

type Ways = { agent: Agent; waitFor: ConnectOnDemand['waitFor'] };

function post(message: WebhookMessage, timeoutMs: number, { agent, waitFor }: Ways): Promise<SendOutcome> {
  const { headers, body, signal } = message;
  const { origin, pathname, search } = new URL(message.url);
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const response = collectResponse();
    const stopWaiting = waitFor(origin);
    let exchange: Dispatcher.DispatchController | undefined;
    let settled = false;

    // Settling does not wait for undici: it cannot abandon a request whose connection is still being made.
    const settle = (cause: FailureCause): void => {
      if (settled) return;
      settled = true;
      clearTimeout(deadline);
      signal?.removeEventListener('abort', interrupt);
      stopWaiting();
      resolve({ ...response.outcome(cause), durationMs: Math.round(performance.now() - startedAt) });
    };
    const cut = (cause: FailureCause): void => {
      settle(cause);
      exchange?.abort(new Error('The exchange was cut.'));
    };
    const interrupt = (): void => cut('interrupted');
    const deadline = setTimeout(cut, timeoutMs, 'timeout');
    if (signal !== undefined) {
      // One signal stops all sends of a worker; Node would warn of a leak at the eleventh.
      setMaxListeners(0, signal);
      signal.addEventListener('abort', interrupt, { once: true });
    }
    agent.dispatch(
      { origin, path: pathname + search, method: 'POST', headers, body },
      {
        onRequestStart(controller) {
          exchange = controller;
          stopWaiting();
          if (settled) cut(null);
        },
        onResponseStart(_controller, statusCode) {
          if (response.isInterimTooOftenWith(statusCode)) cut('network_error');
        },
        onResponseData(_controller, chunk) {
          if (response.isFullWith(chunk)) cut(null);
        },
        onResponseEnd: () => settle(null),
        onResponseError: (_controller, error) => settle(deliveryErrorOf(error)),
      },
    );
  });
}

function notSent(error: FailureCause): SendOutcome {
  return { ok: false, statusCode: null, error, durationMs: 0, responseExcerpt: null };
}
