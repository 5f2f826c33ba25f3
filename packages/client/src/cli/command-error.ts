import { reasonOf } from '../certification/transports.ts';
import { PartnerApiError, PartnerConnectionError } from '../errors.ts';
import { spokenWait } from './spoken-time.ts';
import { printable } from './world.ts';

/** EXIT_CODES_HELP and docs/guides/partner-command.md list the same codes. */
export const EXIT = {
  done: 0,
  /** The service rejected the call, or the command is not possible now. */
  refused: 1,
  usage: 2,
  /** The service was not reached, or gave no usable response. */
  unreachable: 3,
  /** Something needs action. */
  attention: 4,
  interrupted: 130,
} as const;

export const EXIT_CODES_HELP = `
Exit codes:
  0    done
  1    the service rejected it, or it is not possible now
  2    wrong usage: an option, an argument, a missing file
  3    the service was not reached, or gave no usable answer
  4    done, and something needs action
  130  interrupted`;

/** An error to print. Its message never contains a key. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT.refused, cause?: unknown) {
    super(message, { cause });
    this.exitCode = exitCode;
  }
}

export function usageError(message: string): CommandError {
  return new CommandError(message, EXIT.usage);
}

export function interruption(): CommandError {
  return new CommandError('Interrupted.', EXIT.interrupted);
}

/**
 * Turns a failed call into a CommandError that has the code, all details and the request id. Returns other failures
 * unchanged. `newest`: the newest response.
 */
export function asCommandError(failure: unknown, baseUrl: string, newest?: ResponseHead): unknown {
  // The response is complete, but not JSON.
  if (failure instanceof PartnerConnectionError && failure.cause instanceof SyntaxError && newest)
    return notTheService(baseUrl, newest, 'a body that is not JSON');
  if (failure instanceof PartnerConnectionError) return unreachable(failure, baseUrl);
  if (!(failure instanceof PartnerApiError)) return failure;
  if (failure.code === `HTTP_${failure.status}`) return notTheService(baseUrl, newest ?? failure);
  const exitCode = failure.status >= 500 ? EXIT.unreachable : EXIT.refused;
  return new CommandError(refusalText(failure, baseUrl), exitCode, failure);
}

function refusalText(refusal: PartnerApiError, baseUrl: string): string {
  const { message, details, code, status, requestId } = refusal;
  const faults = details.map((each) => `  ${each.path}: ${each.message}`);
  // If there are details, the message only repeats the first one.
  const reasons = faults.length > 0 ? ['The service rejected these values:', ...faults] : [message];
  const lines = [
    ...reasons,
    ...remediesOf(refusal),
    ...docsOf(refusal, baseUrl),
    `(${code}, ${status}, request ${requestId ?? 'without an id'})`,
  ];
  return lines.map(printable).join('\n');
}

function remediesOf({ conflict, bookingId, retryAfterSeconds }: PartnerApiError): string[] {
  return [
    ...(retryAfterSeconds === undefined ? [] : [`  try again: ${spokenWait(retryAfterSeconds * 1000)}`]),
    ...(conflict?.hold_id === undefined ? [] : [`  your hold: ${conflict.hold_id}`]),
    ...(conflict?.free_at === undefined ? [] : [`  free at the latest: ${conflict.free_at}`]),
    ...(conflict?.alternatives ?? []).map((slot) => `  free instead: ${slot.slot_id}`),
    ...(bookingId === undefined ? [] : [`  your booking: ${bookingId}`]),
  ];
}

function docsOf({ docs }: PartnerApiError, baseUrl: string): string[] {
  if (docs === undefined) return [];
  // Not `new URL`: the address of the service may have a path.
  return [`  more: ${docs.startsWith('/') ? baseUrl + docs : docs}`];
}

function unreachable(failure: PartnerConnectionError, baseUrl: string): CommandError {
  const message = `The service at ${baseUrl} was not reached (${reasonOf(failure)}). Give its address with --base-url or PARTNER_BASE_URL.`;
  return new CommandError(message, EXIT.unreachable, failure);
}

export type ResponseHead = { status: number; headers?: Headers };

/** The error if another program responded, for example a proxy or the program at a mistaken address. */
export function notTheService(baseUrl: string, { status, headers }: ResponseHead, fault?: string): CommandError {
  const details = [headers?.get('content-type'), headers?.get('server'), fault].filter(Boolean).join(', ');
  const summary = `${status}${details === '' ? '' : ` (${details})`}`;
  const finding = `The program at ${baseUrl} responded with ${summary}, and not as the Partner Booking Service does.`;
  const advice =
    status >= 500
      ? 'Perhaps a proxy in front of it gave up waiting: try again.'
      : 'Give the address of the service with --base-url or PARTNER_BASE_URL.';
  return new CommandError(printable(`${finding} ${advice}`), EXIT.unreachable);
}
