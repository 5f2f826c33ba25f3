/**
 * Why a delivery attempt failed, by the stage that it reached. Partners see these names, and attempts are stored with
 * them.
 *
 * | name | meaning |
 * |---|---|
 * | `blocked_address` | the host is, or resolves to, an address that is not public, or the URL is not https |
 * | `dns_error` | the host name did not resolve |
 * | `connection_refused` | nothing listens at the port |
 * | `connection_reset` | the connection was closed before the response was complete |
 * | `tls_error` | the handshake failed: certificate not trusted, expired or for another name, or no TLS at all |
 * | `timeout` | no complete response in time, whichever stage took too long |
 * | `redirect` | status 3xx; redirects are not followed |
 * | `http_status` | any other status that is not 2xx |
 * | `network_error` | any other network failure, also a response that is not HTTP |
 */
export const DELIVERY_ERRORS = [
  'blocked_address',
  'dns_error',
  'connection_refused',
  'connection_reset',
  'tls_error',
  'timeout',
  'redirect',
  'http_status',
  'network_error',
] as const;
export type DeliveryError = (typeof DELIVERY_ERRORS)[number];

/** Details of a failure, without text from a socket or the receiver. Partners see these names, which are stored. */
export const DELIVERY_ERROR_DETAILS = [
  'name_not_found',
  'name_server_failed',
  'host_unreachable',
  'certificate_expired',
  'certificate_not_yet_valid',
  'hostname_mismatch',
  'unknown_issuer',
  'certificate_invalid',
  'client_certificate_required',
  'protocol_version',
  'not_tls',
  'handshake_failed',
  'headers_too_large',
  'malformed_response',
  'too_many_interim_responses',
] as const;
export type DeliveryErrorDetail = (typeof DELIVERY_ERROR_DETAILS)[number];

export type Failure = { error: DeliveryError; detail: DeliveryErrorDetail | null };

export class BlockedAddressError extends Error {
  override readonly name = 'BlockedAddressError';
}

export class UnresolvedHostError extends Error {
  override readonly name = 'UnresolvedHostError';
}

// The codes of OpenSSL and of certificate verification have no common prefix (Node's documentation, "X509 certificate
// error codes"); these fragments match all of them, and no system error.
const TLS_CODE = /TLS|SSL|CERT|CRL|UNABLE_TO|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH|^EPROTO$/;

const TLS_DETAILS: readonly (readonly [RegExp, DeliveryErrorDetail])[] = [
  [/^CERT_HAS_EXPIRED/, 'certificate_expired'],
  [/^CERT_NOT_YET_VALID/, 'certificate_not_yet_valid'],
  [/ALTNAME_INVALID|HOSTNAME_MISMATCH/, 'hostname_mismatch'],
  [/^UNABLE_TO_(GET_ISSUER|VERIFY_LEAF)|SELF_SIGNED|CERT_UNTRUSTED/, 'unknown_issuer'],
  [/CERTIFICATE_REQUIRED/, 'client_certificate_required'],
  [/UNSUPPORTED_PROTOCOL|PROTOCOL_VERSION|NO_APPLICATION_PROTOCOL/, 'protocol_version'],
  [/WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST|BAD_RECORD_TYPE/, 'not_tls'],
  [/^(?!ERR_SSL).*(CERT|CRL|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH|UNABLE_TO)/, 'certificate_invalid'],
];

/** Classifies the error that ended an exchange before its response was complete. Unknown errors are `network_error`. */
export function failureOf(error: unknown): Failure {
  if (error instanceof BlockedAddressError) return { error: 'blocked_address', detail: null };
  if (error instanceof UnresolvedHostError) {
    const isAbsent = error.cause === undefined || isDefiniteAbsence(error.cause);
    return { error: 'dns_error', detail: isAbsent ? 'name_not_found' : 'name_server_failed' };
  }
  const code = errorCodeOf(error);
  const systemError = SYSTEM_ERRORS.get(code);
  if (systemError !== undefined) return systemError;
  if (code.startsWith('HPE_')) return { error: 'network_error', detail: 'malformed_response' };
  if (TLS_CODE.test(code)) return { error: 'tls_error', detail: tlsDetailOf(code, error) };
  return { error: 'network_error', detail: null };
}

const SYSTEM_ERRORS = new Map<string, Failure>([
  ['ECONNREFUSED', { error: 'connection_refused', detail: null }],
  ['ECONNRESET', { error: 'connection_reset', detail: null }],
  ['EPIPE', { error: 'connection_reset', detail: null }],
  ['ETIMEDOUT', { error: 'timeout', detail: null }],
  ['EHOSTUNREACH', { error: 'network_error', detail: 'host_unreachable' }],
  ['ENETUNREACH', { error: 'network_error', detail: 'host_unreachable' }],
  ['HPE_HEADER_OVERFLOW', { error: 'network_error', detail: 'headers_too_large' }],
]);

function tlsDetailOf(code: string, error: unknown): DeliveryErrorDetail {
  // If the handshake fails during a write, only the error's message has OpenSSL's reason.
  const reason = code === 'EPROTO' && error instanceof Error ? error.message.replaceAll(' ', '_').toUpperCase() : code;
  return TLS_DETAILS.find(([pattern]) => pattern.test(reason))?.[1] ?? 'handshake_failed';
}

/** Whether a look-up failed because the name or its addresses do not exist, not because no server answered. */
export function isDefiniteAbsence(error: unknown): boolean {
  return ['ENOTFOUND', 'ENODATA'].includes(errorCodeOf(error));
}

/** The `code` of a system error (for example `ENOTFOUND`); empty without one. */
function errorCodeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

/** The error of a status; null for 2xx. */
export function deliveryErrorOfStatus(statusCode: number): DeliveryError | null {
  if (statusCode >= 200 && statusCode < 300) return null;
  return statusCode >= 300 && statusCode < 400 ? 'redirect' : 'http_status';
}
