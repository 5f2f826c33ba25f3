import { withDeadline } from '../platform/deadline.ts';
import { onOneLine } from '../platform/unseen-text.rules.ts';
import { CallError, interruption } from './errors.ts';
import { codeOf, isObject, type Json, objectsOf, parseJson, textOf } from './values.ts';

export type ApiRequest = {
  method: string;
  path: string;
  query?: Readonly<Record<string, string>>;
  body?: unknown;
};

export type CallApi = (request: ApiRequest) => Promise<unknown>;

const TIMEOUT_MS = 30_000;

/** Error codes that mean the request did not arrive. */
const NEVER_ARRIVED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/**
 * Returns a function that calls the operator API at `url`, with 30 s for each call. No message contains the key.
 * @throws CallError if the service rejects the call or does not respond
 */
export function createClient(url: string, apiKey: string, interrupted: AbortSignal): CallApi {
  return async ({ method, path, query = {}, body }) => {
    const target = new URL(`${url}${path}`);
    for (const [name, value] of Object.entries(query)) target.searchParams.set(name, value);
    const call = async (signal: AbortSignal): Promise<unknown> => {
      const response = await fetch(target, {
        method,
        headers: {
          'x-api-key': apiKey,
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        // The key must not follow a redirect.
        redirect: 'manual',
        signal,
      });
      return readResponse(url, response, await response.text());
    };
    try {
      return await withDeadline(TIMEOUT_MS, call, interrupted);
    } catch (err) {
      if (err instanceof CallError) throw err;
      if (interrupted.aborted) throw interruption();
      if ((err as Error).name !== 'TimeoutError') throw unreachable(url, err);
      throw new CallError(`${url} did not respond within ${TIMEOUT_MS / 1000} s.`, true);
    }
  };
}

function readResponse(url: string, response: Response, text: string): unknown {
  if (response.ok && text === '') return undefined;
  const body = parseJson(text);
  if (response.ok && isObject(body)) return body;
  const error = isObject(body) ? body['error'] : undefined;
  if (!isObject(error)) throw unreadable(url, response);
  throw new CallError(rejectionText(error, response.status), response.status >= 500);
}

/** For a response in another format than the API's. After 2xx or 5xx the service may still have acted. */
function unreadable(url: string, { ok, status }: Response): CallError {
  if (status >= 500) {
    const message =
      `${url} responded with ${status}, but not in the format of the operator API. ` +
      'Perhaps a proxy in front of it gave up waiting for the service.';
    return new CallError(message, true);
  }
  const finding = `The server at ${url} is not the operator API: it responded with ${status}, in an unknown format.`;
  const between = ok ? ' Or something in between changed the response.' : '';
  const advice = ' Give the address of the admin listener (ADMIN_PORT) with --url or OPERATOR_URL.';
  return new CallError(`${finding}${between}${advice}`, ok);
}

function rejectionText(error: Json, status: number): string {
  const faults = objectsOf(error['details']).map(({ path, message }) => `  ${textOf(path)}: ${textOf(message)}`);
  // If there are details, the message only repeats the first one.
  const message = faults.length > 0 ? 'The service rejected these values:' : textOf(error['message']);
  const facts = `(${textOf(error['code'])}, ${status}, request ${textOf(error['request_id'])})`;
  return [message, ...faults, facts].map((line) => onOneLine(line).trimEnd()).join('\n');
}

function unreachable(url: string, err: unknown): CallError {
  const code = codeOf(err);
  const reason = code === undefined ? '' : ` (${code})`;
  return new CallError(
    `The service at ${url} cannot be reached${reason}. Start it (npm start), or give its address with --url or OPERATOR_URL.`,
    !NEVER_ARRIVED.has(code ?? ''),
    err,
  );
}

const PAGE_LIMIT = '200';

export type Page = { success: true; count: number; data: unknown[]; next_cursor?: string | null };

export async function readAll(call: CallApi, request: ApiRequest): Promise<Page> {
  const data: unknown[] = [];
  let cursor: string | null | undefined;
  do {
    const query: Record<string, string> = {
      limit: PAGE_LIMIT,
      ...request.query,
      ...(cursor ? { cursor } : {}),
    };
    const page = (await call({ ...request, query })) as Page;
    data.push(...page.data);
    cursor = page.next_cursor;
  } while (cursor);
  return { success: true, count: data.length, data };
}
