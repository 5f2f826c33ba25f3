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
  /** Until when this may be sent; for good where it is absent. */
  validity?: Validity;
  /** Aborting it ends the exchange as `interrupted`; one signal may serve any number of sends. */
  signal?: AbortSignal;
};

/** How long a message may be sent, and what is sent instead after that. */
export type Validity = {
  /** The last instant, by `performance.now()`, at which the first byte may be written. */
  untilMs: number;
  /** The message as it is now; null where it must not be sent any more, which ends the exchange as `interrupted`. */
  renew(): Promise<WebhookMessage | null>;
};

export type WebhookSender = {
  /**
   * POSTs a message once and never rejects. Success is a 2xx whose response was complete within the deadline; a response
   * longer than 16 KB counts as complete there and its connection is dropped. A status other than 2xx decides alone,
   * whatever becomes of its body; more than 20 interim responses (1xx) before it are a `network_error`. Redirects are not followed
   * and nothing is sent twice. A message whose validity has ended when its connection is ready is renewed; where the
   * deadline comes meanwhile, the exchange is `interrupted`.
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

/** Thrown where undici is about to write a request: it then writes nothing, and keeps the connection. */
const NOT_VALID = new Error('The message is not valid any more.');

function post(first: WebhookMessage, timeoutMs: number, { agent, waitFor }: Ways): Promise<SendOutcome> {
  const { signal } = first;
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const response = collectResponse();
    let stopWaiting = (): void => undefined;
    let exchange: Dispatcher.DispatchController | undefined;
    let settled = false;
    let isRenewing = false;

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
    // That a message took long to renew says nothing about the receiver.
    const deadline = setTimeout(() => cut(isRenewing ? 'interrupted' : 'timeout'), timeoutMs);
    if (signal !== undefined) {
      // One signal stops all sends of a worker; Node would warn of a leak at the eleventh.
      setMaxListeners(0, signal);
      signal.addEventListener('abort', interrupt, { once: true });
    }
    const begin = ({ url, headers, body, validity }: WebhookMessage): void => {
      const { origin, pathname, search } = new URL(url);
      stopWaiting = waitFor(origin);
      agent.dispatch(
        { origin, path: pathname + search, method: 'POST', headers, body },
        {
          onRequestStart(controller) {
            exchange = controller;
            stopWaiting();
            if (settled) cut(null);
            else if (validity !== undefined && performance.now() > validity.untilMs) throw NOT_VALID;
          },
          onResponseStart(_controller, statusCode) {
            if (response.isInterimTooOftenWith(statusCode)) cut('network_error');
          },
          onResponseData(_controller, chunk) {
            if (response.isFullWith(chunk)) cut(null);
          },
          onResponseEnd: () => settle(null),
          onResponseError: (_controller, error) => {
            if (error === NOT_VALID && validity !== undefined) void beginAgain(validity);
            else settle(deliveryErrorOf(error));
          },
        },
      );
    };
    const beginAgain = async ({ renew }: Validity): Promise<void> => {
      isRenewing = true;
      const renewed = await renew().catch(() => null);
      isRenewing = false;
      if (renewed === null) settle('interrupted');
      else if (!settled) begin(renewed);
    };
    begin(first);
  });
}

function notSent(error: FailureCause): SendOutcome {
  return { ok: false, statusCode: null, error, durationMs: 0, responseExcerpt: null };
}
