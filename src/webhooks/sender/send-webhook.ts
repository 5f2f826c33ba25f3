import { setMaxListeners } from 'node:events';
import { parseUrl } from '../../platform/parse-url.ts';
import { inCallSpan } from '../../platform/tracing.ts';
import { collectResponse, type FailureCause, type SendOutcome } from './collect-response.ts';
import { type Connections, createConnections } from './connections.ts';
import { failureOf } from './delivery-error.rules.ts';
import type { EndpointRules } from './endpoint-address.rules.ts';
import { runExchange, type WebhookMessage } from './exchange.ts';
import { type ResolveAddresses, resolverFor } from './resolve-addresses.ts';

/** `resolve`: `resolverFor` unless given. */
type WebhookSenderOptions = EndpointRules & { timeoutMs: number; resolve?: ResolveAddresses };

export type WebhookSender = ReturnType<typeof createWebhookSender>;

/** Creates a sender with its own pool of connections. */
export function createWebhookSender(options: WebhookSenderOptions) {
  const connections = createConnections({ ...options, resolve: options.resolve ?? resolverFor(options) });
  const inProgress = new Set<Promise<SendOutcome>>();
  let closed = false;
  return {
    /**
     * POSTs a message and never rejects. Success is a 2xx with a response that was complete within the deadline; a
     * response counts as complete at 16 KB, and its connection is dropped. Any other status fails, regardless of its
     * body. Interim responses (1xx) are skipped; more than 20 are a `network_error`. Redirects are not followed.
     *
     * If a reused connection ends before a byte of the response, the message is sent once more, over a new connection:
     * the receiver may have closed the old one just then. If a message is no longer valid when its connection is ready,
     * it is renewed; if the deadline passes meanwhile, the exchange is `interrupted`.
     */
    async send(message: WebhookMessage): Promise<SendOutcome> {
      if (closed || message.signal?.aborted === true) return notSent('interrupted');
      const url = parseUrl(message.url);
      if (url === undefined) return notSent('network_error');
      const exchange = inCallSpan(
        'POST',
        // Only the origin: the path of an endpoint can be a secret.
        { 'http.request.method': 'POST', 'server.address': url.hostname, 'url.full': url.origin },
        () => post(message, url, options.timeoutMs, connections),
        ({ statusCode, error }) => ({
          ...(statusCode === null ? {} : { 'http.response.status_code': statusCode }),
          ...(error === null ? {} : { 'error.type': error }),
        }),
      );
      inProgress.add(exchange);
      return exchange.finally(() => inProgress.delete(exchange));
    },
    /** Waits for the exchanges in progress; later sends are `interrupted`. */
    async close(): Promise<void> {
      closed = true;
      await Promise.all(inProgress);
      connections.close();
    },
  };
}

function post(first: WebhookMessage, url: URL, timeoutMs: number, connections: Connections): Promise<SendOutcome> {
  const { signal } = first;
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const response = collectResponse();
    let message = first;
    let abandon = (): void => undefined;
    let settled = false;
    let isRenewing = false;

    const settle = (cause: FailureCause): void => {
      if (settled) return;
      settled = true;
      clearTimeout(deadline);
      signal?.removeEventListener('abort', interrupt);
      const durationMs = Math.round(performance.now() - startedAt);
      resolve(response.outcome(first.url, cause).then((outcome) => ({ ...outcome, durationMs })));
    };
    const cut = (cause: FailureCause): void => {
      settle(cause);
      abandon();
    };
    const interrupt = (): void => cut('interrupted');
    // A slow renewal says nothing about the receiver.
    const deadline = setTimeout(() => cut(isRenewing ? 'interrupted' : { error: 'timeout', detail: null }), timeoutMs);
    if (signal !== undefined) {
      // All sends of a worker share a signal, and Node warns of a leak at the eleventh listener.
      setMaxListeners(0, signal);
      signal.addEventListener('abort', interrupt, { once: true });
    }

    const renewed = async (): Promise<WebhookMessage | null> => {
      while (message.validity !== undefined && performance.now() > message.validity.untilMs) {
        isRenewing = true;
        const now = await message.validity.renew().catch(() => null);
        isRenewing = false;
        if (now === null) return null;
        message = now;
      }
      return settled ? null : message;
    };
    const begin = (fresh: boolean): void => {
      const request = connections.request(url, { fresh });
      abandon = () => void request.destroy();
      const again = (): void => {
        if (!settled) begin(true);
      };
      runExchange(request, { url, response, settle, cut, renewed, again });
    };
    try {
      begin(false);
    } catch (error) {
      settle(failureOf(error));
    }
  });
}

function notSent(error: 'interrupted' | 'network_error'): SendOutcome {
  return {
    ok: false,
    statusCode: null,
    error,
    errorDetail: null,
    redirectTo: null,
    durationMs: 0,
    responseExcerpt: null,
  };
}
