import type { Reply } from '../support/client.ts';
import { requireDescribed } from '../support/described-responses.ts';
import { verdict } from '../support/verdict.ts';
import type { Shot } from './injection-payloads.ts';
import type { Input } from './injection-template.ts';

/** The fault of the response to a payload; undefined if none. `maxRows`: the rows for a legal value. */
export function faultOf(input: Input, shot: Shot, path: string, reply: Reply, maxRows?: number): string | undefined {
  if (reply.status >= 500) return `${reply.status}`;
  if (reply.status >= 400 && reply.text.length > MAX_REJECTION_CHARACTERS)
    return `a rejection of ${reply.text.length} characters`;
  try {
    // The request is not HTTP and reaches no operation, so none describes this response.
    if (input.place === 'header' && NO_HTTP.has(verdict(reply))) return undefined;
    requireDescribed(input.method, path, reply);
    return faultOfVerdict(input, shot, verdict(reply), reply) ?? faultOfRows(reply, maxRows);
  } catch (err) {
    return (err as Error).message;
  }
}

/** A rejection may repeat the payload once, but not multiply it. */
const MAX_REJECTION_CHARACTERS = 20_000;

const NO_HTTP: ReadonlySet<string> = new Set(['400 MALFORMED_REQUEST', '431 HEADERS_TOO_LARGE']);

/** Rules for each kind of place. Every place may respond with 4xx. */
function faultOfVerdict(input: Input, shot: Shot, answer: string, { headers, text }: Reply): string | undefined {
  const { place, name, isScalar } = input;
  const isSuccess = !answer.startsWith('4');
  if (!/^[A-Za-z0-9._-]{1,128}$/.test(headers.get('x-request-id') ?? '')) return 'a request id of the caller';
  if (headers.has('set-cookie')) return 'a header of the caller';
  // Revoking a missing grant succeeds.
  const isNothing = answer === '204' || text === '{"released_holds":[]}';
  if (place === 'path' && isSuccess && !isNothing) return `found: ${answer}`;
  if (place === 'query' && isSuccess && shot.isStructure === true) return `accepted: ${answer}`;
  if (place === 'header' && name === 'x-api-key' && answer !== '401 INVALID_API_KEY') return `let in: ${answer}`;
  if (place === 'field' && isScalar && shot.isStructure === true && !rejects(answer, name)) {
    return `no fault of the field: ${answer}`;
  }
  return undefined;
}

function rejects(answer: string, name: string): boolean {
  const [status, code, ...fields] = answer.split(/,? /);
  return status === '400' && (code === 'INVALID_JSON' || (code === 'VALIDATION_ERROR' && fields.includes(name)));
}

/** An accepted payload is a value, which must not match more rows than a legal one. */
function faultOfRows(reply: Reply, maxRows: number | undefined): string | undefined {
  const count = (reply.body as { count?: unknown } | undefined)?.count;
  if (maxRows === undefined || typeof count !== 'number') return undefined;
  return count > maxRows ? `${count} rows instead of ${maxRows}` : undefined;
}
