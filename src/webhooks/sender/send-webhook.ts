import { setMaxListeners } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { parseUrl } from '../../platform/parse-url.ts';
import { inCallSpan } from '../../platform/tracing.ts';
import { announcesBody, collectResponse, type FailureCause, hasNoBody, type SendOutcome } from './collect-response.ts';
import { type Connections, createConnections } from './connections.ts';
import { failureOf } from './delivery-error.rules.ts';
import type { EndpointRules } from './endpoint-address.rules.ts';
import { type ResolveAddresses, resolverFor } from './resolve-addresses.ts';

/** Asks for no compression, so that people can read the beginning of a response, which is kept. */
const ACCEPT = { Accept: '*/*', 'Accept-Encoding': 'identity' };
/** How many interim responses (1xx) a receiver may send: endless ones would occupy this process. */
const MAX_INTERIM_RESPONSES = 20;

export type WebhookMessage = {
  url: string;
  headers: Record<string, string>;
  /** The exact bytes that were signed; a string is sent as UTF-8. */
  body: Buffer | string;
  /** Until when the message may be sent; always if absent. */
  validity?: {
    /** The last instant, by `performance.now()`, at which the first byte may be written. */
    untilMs: number;
    /**
     * The message that replaces this one; null if it may no longer be sent, which ends the exchange as `interrupted`.
     */
    renew(): Promise<WebhookMessage | null>;
  };
  /** Ends the exchange as `interrupted`; any number of sends may share one signal. */
  signal?: AbortSignal;
};

export type WebhookSender = ReturnType<typeof createWebhookSender>;

/** Creates a sender with its own pool of connections. `resolve`: `resolverFor` unless given. */
export function createWebhookSender(options: EndpointRules & { timeoutMs: number; resolve?: ResolveAddresses }) {
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
     * `renew` replaces it; if the deadline passes meanwhile, the exchange is `interrupted`.
     */
    async send(message: WebhookMessage): Promise<SendOutcome> {
      if (closed || message.signal?.aborted === true) return notSent('interrupted');
      const url = parseUrl(message.url);
      if (url === undefined) return notSent({ error: 'network_error', detail: null });
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

function post(original: WebhookMessage, url: URL, timeoutMs: number, connections: Connections): Promise<SendOutcome> {
  const { signal } = original;
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const response = collectResponse();
    let message = original;
    let destroyRequest = (): void => undefined;
    let settled = false;
    let isRenewing = false;

    const settle = (cause: FailureCause): void => {
      if (settled) return;
      settled = true;
      clearTimeout(deadline);
      signal?.removeEventListener('abort', interrupt);
      const durationMs = Math.round(performance.now() - startedAt);
      resolve(response.outcome(original.url, cause).then((outcome) => ({ ...outcome, durationMs })));
    };
    const cut = (cause: FailureCause): void => {
      settle(cause);
      destroyRequest();
    };
    const interrupt = (): void => cut('interrupted');
    // A timeout during a renewal says nothing about the receiver.
    const deadline = setTimeout(() => cut(isRenewing ? 'interrupted' : { error: 'timeout', detail: null }), timeoutMs);
    if (signal !== undefined) {
      // All sends of a worker share a signal, and Node warns of a leak at the eleventh listener.
      setMaxListeners(0, signal);
      signal.addEventListener('abort', interrupt, { once: true });
    }

    const validMessage = async (): Promise<WebhookMessage | null> => {
      while (message.validity !== undefined && performance.now() > message.validity.untilMs) {
        isRenewing = true;
        const renewed = await message.validity.renew().catch(() => null);
        isRenewing = false;
        if (renewed === null) return null;
        message = renewed;
      }
      return settled ? null : message;
    };
    const begin = (fresh: boolean): void => {
      if (settled) return;
      const request = connections.request(url, { fresh });
      destroyRequest = () => void request.destroy();
      runExchange(request, { response, settle, cut, validMessage, sendAgain: () => begin(true) });
    };
    try {
      begin(false);
    } catch (error) {
      settle(failureOf(error));
    }
  });
}

/** State that the requests of an exchange share: a message may be sent a second time. */
type Exchange = {
  response: ReturnType<typeof collectResponse>;
  settle(cause: FailureCause): void;
  /** Settles and ends the connection. */
  cut(cause: FailureCause): void;
  /** The message, renewed if necessary; null if it may not be sent now. */
  validMessage(): Promise<WebhookMessage | null>;
  /** Sends the message again, over a new connection, unless the exchange is settled. */
  sendAgain(): void;
};

/** Writes the message once the connection is ready, and settles the exchange by what the receiver responds. */
function runExchange(request: ClientRequest, exchange: Exchange): void {
  const { settle, cut, sendAgain } = exchange;
  let interims = 0;
  let isAnswered = false;
  const write = (): void => {
    writeMessage(request, exchange).catch((error: unknown) => cut(failureOf(error)));
  };
  request.on('socket', (socket) => {
    if (request.reusedSocket) {
      socket.prependOnceListener('data', () => {
        isAnswered = true;
      });
      write();
    } else socket.once(request.protocol === 'https:' ? 'secureConnect' : 'connect', write);
  });
  request.on('information', () => {
    interims += 1;
    if (interims > MAX_INTERIM_RESPONSES) cut({ error: 'network_error', detail: 'too_many_interim_responses' });
  });
  request.on('upgrade', (_response, socket) => {
    cut({ error: 'network_error', detail: 'malformed_response' });
    socket.destroy();
  });
  request.on('response', (incoming) => readResponse(incoming, exchange));
  request.on('error', (error) => {
    if (request.reusedSocket && !isAnswered) sendAgain();
    else settle(failureOf(error));
  });
}

/** Sets the headers only now, because a message may be renewed until its connection is ready. */
async function writeMessage(request: ClientRequest, { validMessage, cut }: Exchange): Promise<void> {
  const message = await validMessage();
  if (message === null) return cut('interrupted');
  for (const [name, value] of Object.entries({ ...ACCEPT, ...message.headers })) request.setHeader(name, value);
  request.end(message.body);
}

function readResponse(incoming: IncomingMessage, { response, settle, cut }: Exchange): void {
  response.begin(incoming);
  incoming.on('error', (error) => settle(failureOf(error)));
  if (hasNoBody(incoming)) {
    // On a reused connection, an announced body would be read as the next response.
    if (announcesBody(incoming)) cut(null);
    else settle(null);
    incoming.resume();
    return;
  }
  incoming.on('data', (chunk: Buffer) => {
    if (response.add(chunk)) cut(null);
  });
  incoming.on('end', () => settle(null));
}

async function notSent(cause: FailureCause): Promise<SendOutcome> {
  return { ...(await collectResponse().outcome('', cause)), durationMs: 0 };
}
