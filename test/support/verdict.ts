import type { Reply } from './client.ts';
import { type Json, json } from './factories.ts';

/** Internals that no response may show. */
const INTERNALS =
  /\n\s+at |node_modules|[\w-]+\.[jt]s\b|mongo|mongoose|redis(?!_volatile)|bullmq|\bjoi\b|\bE11000\b|\bundefined\b|\$\$NOW|\[object|TypeError|internal server/i;

/** Error codes with `conflict`. */
const HAVE_CONFLICT: ReadonlySet<string> = new Set(['SLOT_NOT_AVAILABLE', 'PRICE_CHANGED', 'SUBSCRIPTION_EXISTS']);

/**
 * A response in one line: `201`, `404 HOLD_NOT_FOUND`, `400 VALIDATION_ERROR hold_id, reason` (faulty fields in
 * alphabetical order). Throws if an error response differs from the documented form or shows internals.
 */
export function verdict(reply: Reply): string {
  if (reply.status < 400) return String(reply.status);
  const fault = faultOfForm(reply);
  if (fault !== undefined) throw new Error(`${fault}: ${reply.status} ${reply.text}`);
  const { code, details } = errorOf(reply);
  if (details === undefined) return `${reply.status} ${code}`;
  const paths = [...new Set(details.map((detail) => detail.path))].toSorted();
  return `${reply.status} ${code} ${paths.join(', ')}`;
}

export type ErrorAnswer = {
  code: string;
  message: string;
  request_id: string;
  docs?: string;
  details?: { path: string; message: string }[];
  conflict?: Json;
  booking_id?: string;
};

/** The `error` of an error response. */
export function errorOf(reply: Reply): ErrorAnswer {
  return json(reply)['error'] as ErrorAnswer;
}

/** Like `verdict`, but for a conflict with the reason instead of the code: `409 held`. */
export function outcomeOf(reply: Reply): string {
  const reason = reply.status === 409 ? errorOf(reply).conflict?.['reason'] : undefined;
  return typeof reason === 'string' ? `409 ${reason}` : verdict(reply);
}

/** A fault that the OpenAPI description, against which the client checks every response, cannot express. */
function faultOfForm(reply: Reply): string | undefined {
  const { code, message, request_id: requestId, docs, details, conflict, booking_id: bookingId } = errorOf(reply);
  if (json(reply)['success'] !== false) return 'success is not false';
  if (message.length < 10) return 'No message for a developer';
  if (requestId !== reply.headers.get('x-request-id')) return 'Not the id of the X-Request-Id header';
  if (docs !== undefined && docs !== `/docs/errors/${code}`) return 'docs is not the page of the code';
  if ((code === 'VALIDATION_ERROR') !== (details !== undefined))
    return 'details are only, and always, in a VALIDATION_ERROR';
  if (details?.some((each) => each.path === '' || each.message === '')) return 'Empty details';
  const repeated = [...(details ?? []), ...splitMessage(message)].find(namesItsField);
  if (repeated !== undefined) return `The field is named twice (${repeated.path}: ${repeated.message})`;
  if (HAVE_CONFLICT.has(code) !== (conflict !== undefined))
    return 'conflict is missing, or does not belong to this code';
  if (bookingId !== undefined && code !== 'INVALID_HOLD_STATE') return 'booking_id where none belongs';
  return INTERNALS.test(reply.text) ? 'Shows internals' : undefined;
}

/** Whether the message repeats the name of its field. A message about one of several fields may name all of them. */
function namesItsField({ path, message }: { path: string; message: string }): boolean {
  const name = path.split('.').at(-1) ?? path;
  if (message.startsWith(`${path} `) || message.startsWith(`${name} `)) return true;
  const isOneOfSeveral = /^is required|\beither\b/.test(message);
  return name.includes('_') && !isOneOfSeveral && message.split(/\W+/).includes(name);
}

/** Path and text of a message that begins with a field's path; otherwise nothing. */
function splitMessage(whole: string): { path: string; message: string }[] {
  const [, path, message] = /^([\w.]+): (.*)$/s.exec(whole) ?? [];
  return path === undefined || message === undefined ? [] : [{ path, message }];
}
