import type { ClientRequest, IncomingMessage } from 'node:http';
import type { collectResponse, FailureCause } from './collect-response.ts';
import { failureOf } from './delivery-error.rules.ts';

/** Statuses of responses that are complete with their head, regardless of its fields (RFC 9110, 6.4.1). */
const WITHOUT_BODY: readonly (number | undefined)[] = [204, 205, 304];
/** Asks for no compression: only the beginning of a response is kept, for people to read. */
const ACCEPT = { Accept: '*/*', 'Accept-Encoding': 'identity' };

export type WebhookMessage = {
  url: string;
  headers: Record<string, string>;
  /** The exact bytes that were signed; a string is sent as UTF-8. */
  body: Buffer | string;
  /** How long this may be sent; for ever if absent. */
  validity?: Validity;
  /** Ends the exchange as `interrupted`; any number of sends may share one signal. */
  signal?: AbortSignal;
};

type Validity = {
  /** The last instant, by `performance.now()`, at which the first byte may be written. */
  untilMs: number;
  /** The current message; null if it may no longer be sent, which ends the exchange as `interrupted`. */
  renew(): Promise<WebhookMessage | null>;
};

/** The state that all requests of an exchange share: a message may be sent a second time. */
export type Exchange = {
  url: URL;
  response: ReturnType<typeof collectResponse>;
  settle(cause: FailureCause): void;
  /** Settles and ends the connection. */
  cut(cause: FailureCause): void;
  /** The message as it may be sent now, or null. */
  renewed(): Promise<WebhookMessage | null>;
  /** Sends the message again, over a new connection. */
  again(): void;
};

/** Writes the message once the connection is ready, and settles the exchange by what the receiver responds. */
export function runExchange(request: ClientRequest, exchange: Exchange): void {
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

/** Sets the headers only now, because a message may be renewed until its connection is ready. */
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
    // On a reused connection, an announced body would be read as the next response.
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

/** Whether the head announces a body. A 205 without a length would go on until its connection ends. */
function announcesBody({ statusCode, headers }: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': coding } = headers;
  return coding !== undefined || (length === undefined ? statusCode === 205 : Number(length) !== 0);
}
