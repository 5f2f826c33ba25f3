import { setMaxListeners } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { parseUrl } from '../../platform/parse-url.ts';
import { inCallSpan } from '../../platform/tracing.ts';
import type { PortRange } from '../../process/config/port-ranges.rules.ts';
import type { FailureCause, SendOutcome } from './collect-response.ts';
import { collectResponse } from './collect-response.ts';
import type { Connections } from './connections.ts';
import { createConnections } from './connections.ts';
import { failureOf } from './delivery-error.rules.ts';
import { type ResolveAddresses, resolverFor } from './resolve-addresses.ts';

/** Complete with their head, whatever it announces (RFC 9110, 6.4.1). */
const WITHOUT_BODY: readonly (number | undefined)[] = [204, 205, 304];
/** What of a response could be compressed is read by people alone, and its beginning alone. */
const ACCEPT = { Accept: '*/*', 'Accept-Encoding': 'identity' };

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
   * POSTs a message and never rejects. Success is a 2xx whose response was complete within the deadline; a response
   * longer than 16 KB counts as complete there and its connection is dropped. A status other than 2xx decides alone,
   * whatever becomes of its body. Interim responses (1xx) are skipped; more than 20 of them are a `network_error`. Redirects are
   * not followed. Nothing is sent twice, unless a kept connection ended before a byte of the response: the receiver may have
   * closed it just then, so the same bytes go once more, at once, over a connection of their own. A message whose validity has
   * ended when its connection is ready is renewed; where the deadline comes meanwhile, the exchange is `interrupted`.
   */
  send(message: WebhookMessage): Promise<SendOutcome>;
  /** Waits for the exchanges in progress, then closes all connections; sends from now on are `interrupted`. */
  close(): Promise<void>;
};

/** Makes a sender with its own pool of kept-alive connections, which are opened by `createConnections` only. */
export function createWebhookSender(options: WebhookSenderOptions): WebhookSender {
  const connections = createConnections({ ...options, resolve: options.resolve ?? resolverFor(options) });
  const inProgress = new Set<Promise<SendOutcome>>();
  let closed = false;
  return {
    async send(message) {
      if (closed || message.signal?.aborted === true) return notSent('interrupted');
      const url = parseUrl(message.url);
      if (url === undefined) return notSent('network_error');
      const exchange = inCallSpan(
        'POST',
        // The path of an endpoint can be a secret.
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
    async close() {
      closed = true;
      await Promise.all(inProgress);
      connections.close();
    },
  };
}

function post(
  first: WebhookMessage,
  url: URL,
  timeoutMs: number,
  connections: Connections,
): Promise<SendOutcome> {
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
    // That a message took long to renew says nothing about the receiver.
    const deadline = setTimeout(
      () => cut(isRenewing ? 'interrupted' : { error: 'timeout', detail: null }),
      timeoutMs,
    );
    if (signal !== undefined) {
      // One signal stops all sends of a worker; Node would warn of a leak at the eleventh.
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

type Exchange = {
  url: URL;
  response: ReturnType<typeof collectResponse>;
  settle(cause: FailureCause): void;
  /** Settles, and ends the connection. */
  cut(cause: FailureCause): void;
  /** The message as it may be sent now; null where it may not. */
  renewed(): Promise<WebhookMessage | null>;
  /** Begins anew, over a connection of its own. */
  again(): void;
};

function runExchange(request: ClientRequest, exchange: Exchange): void {
  const { url, response, settle, cut } = exchange;
  let isAnswered = false;
  const write = (): void => {
    writeMessage(request, exchange).catch((error: unknown) => {
      cut(failureOf(error));
    });
  };
  request.on('socket', (socket) => {
    if (!request.reusedSocket) {
      socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', write);
      return;
    }
    socket.prependOnceListener('data', () => {
      isAnswered = true;
    });
    write();
  });
  request.on('information', () => {
    if (response.isOneInterimTooMany()) {
      cut({ error: 'network_error', detail: 'too_many_interim_responses' });
    }
  });
  request.on('upgrade', (_response, socket) => {
    cut({ error: 'network_error', detail: 'malformed_response' });
    socket.destroy();
  });
  request.on('response', (incoming) => readResponse(incoming, exchange));
  request.on('error', (error) => {
    if (request.reusedSocket && !isAnswered) exchange.again();
    else settle(failureOf(error));
  });
}

/** Headers are set here, not before: until its connection is ready, a message may be renewed. */
async function writeMessage(request: ClientRequest, { renewed, cut }: Exchange): Promise<void> {
  const message = await renewed();
  if (message === null) {
    cut('interrupted');
    return;
  }
  const headers = { ...ACCEPT, ...message.headers };
  for (const [name, value] of Object.entries(headers)) request.setHeader(name, value);
  request.end(message.body);
}

function readResponse(incoming: IncomingMessage, { response, settle, cut }: Exchange): void {
  response.begin(incoming);
  incoming.on('error', (error) => settle(failureOf(error)));
  if (WITHOUT_BODY.includes(incoming.statusCode)) {
    // On a connection that is kept, what follows would be taken for the next response.
    if (announcesBody(incoming)) cut(null);
    else settle(null);
    incoming.resume();
    return;
  }
  incoming.on('data', (chunk: Buffer) => {
    if (response.isFullWith(chunk)) cut(null);
  });
  incoming.on('end', () => settle(null));
}

/** A 205 without a length would go on until its connection ends. */
function announcesBody({ statusCode, headers }: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': coding } = headers;
  return coding !== undefined || (length === undefined ? statusCode === 205 : Number(length) !== 0);
}

function notSent(error: 'interrupted' | 'network_error'): SendOutcome {
  return {
    ...{ ok: false, statusCode: null, error, errorDetail: null, redirectTo: null },
    ...{ durationMs: 0, responseExcerpt: null },
  };
}
