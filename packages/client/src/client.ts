import createClient from 'openapi-fetch';
import { PartnerApiError } from './errors.ts';
import type { CallOptions, Methods, OperationId, PagedOperationId } from './operation-types.ts';
import { KEYED_OPERATIONS, OPERATIONS } from './operations.ts';
import type { Pages } from './pages.ts';
import { pagesOf } from './pages.ts';
import type { Retries } from './retries.ts';
import { DEFAULT_RETRIES, withDeadline, withRetries } from './retries.ts';
import type { ServerClock } from './server-clock.ts';
import { createServerClock } from './server-clock.ts';

export type ClientOptions = {
  /** The address of the service, such as `https://bookings.example`, without `/api/v1`. */
  baseUrl: string;
  apiKey: string;
  /** Sends the requests. Default: the global `fetch`. */
  fetch?: (request: Request) => Promise<Response>;
  /** Default: 4 tries, random waits below a limit that doubles from 500 ms to 30 s, a Retry-After of up to 60 s. */
  retries?: Partial<Retries>;
  /** The time limit of an attempt, response body included. Default: 15,000. */
  timeoutMs?: number;
};

export type PartnerClient = Methods & {
  /** The pages of a listing or the feed: `for await (const page of client.pages('listBookings', { query })) …`. */
  pages: Pages;
  /** Whole seconds for which a hold can still be confirmed, never too many. */
  secondsLeft: ServerClock['secondsLeft'];
};

type AnyInput = { path?: object; query?: object; body?: Record<string, unknown> };
type AnyRequest = (
  method: string,
  path: string,
  init: object,
) => Promise<{ data?: unknown; error?: unknown; response: Response }>;

/**
 * Operations without a key that are safe to repeat: a released hold stays released, an extension never shortens a
 * hold, and a change of a subscription sets the same values again.
 */
const IDEMPOTENT_OPERATIONS: readonly OperationId[] = ['releaseHold', 'extendHold', 'changeSubscription'];

/**
 * A client for one partner. Methods resolve to the body of a successful response. They reject with a PartnerApiError
 * after an error response, with a PartnerConnectionError if the last attempt got no whole response, and with the
 * signal's reason if the call's signal aborts. The client repeats safe calls with the same bytes, and adds a random
 * idempotency_key to a body that lacks one.
 * @throws TypeError if `baseUrl` is not a URL
 */
export function createPartnerClient(options: ClientOptions): PartnerClient {
  const { baseUrl, apiKey, fetch, timeoutMs = 15_000 } = options;
  const retries = { ...DEFAULT_RETRIES, ...options.retries };
  const clock = createServerClock();
  const api = createClient({
    baseUrl: new URL(baseUrl).href,
    headers: { 'x-api-key': apiKey },
    // Following a redirect would send the key to another host.
    redirect: 'manual',
    ...(fetch === undefined ? {} : { fetch }),
  });
  // Untyped, because OPERATIONS has plain strings; `Methods` has the types for callers.
  const request = api.request as unknown as AnyRequest;

  const call = async (id: OperationId, input: AnyInput = {}, { signal, requestId }: CallOptions = {}) => {
    const [method = '', path = ''] = OPERATIONS[id].split(' ');
    const body = KEYED_OPERATIONS.includes(id)
      ? { ...input.body, idempotency_key: input.body?.['idempotency_key'] ?? crypto.randomUUID() }
      : input.body;
    const bytes = JSON.stringify(body);
    const init = {
      params: { path: input.path, query: input.query },
      headers: requestId === undefined ? {} : { 'x-request-id': requestId },
      body,
      bodySerializer: () => bytes,
    };
    const send = async (attemptSignal: AbortSignal) => {
      const sentAt = clock.read();
      const { data, error, response } = await request(method, path, { ...init, signal: attemptSignal });
      clock.observe(response.headers.get('date'), sentAt);
      if (!response.ok) throw new PartnerApiError(response, error);
      if (data === undefined) throw new SyntaxError('The response has no body');
      return data;
    };
    return withRetries(
      () => withDeadline(send, timeoutMs, signal),
      retries,
      method === 'GET' || KEYED_OPERATIONS.includes(id) || IDEMPOTENT_OPERATIONS.includes(id),
      signal,
    );
  };

  const methods = Object.keys(OPERATIONS).map((id) => [
    id,
    (input?: AnyInput, callOptions?: CallOptions) => call(id as OperationId, input, callOptions),
  ]);
  const pages = (operation: PagedOperationId, input: AnyInput = {}, callOptions?: CallOptions) =>
    pagesOf((each) => call(operation, each, callOptions) as never, operation, input as never);
  return {
    ...(Object.fromEntries(methods) as Methods),
    pages: pages as unknown as Pages,
    secondsLeft: clock.secondsLeft,
  };
}
