/**
 * Why a delivery attempt failed, by the stage that it reached. The names are part of the partner's view
 * and are stored with the attempt.
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
 * | `network_error` | anything else between here and the receiver, also a response that is not HTTP |
 */
export type DeliveryError =
  | 'blocked_address'
  | 'dns_error'
  | 'connection_refused'
  | 'connection_reset'
  | 'tls_error'
  | 'timeout'
  | 'redirect'
  | 'http_status'
  | 'network_error';

/**
 * What is known of a failure beyond its {@link DeliveryError}. It never repeats what a socket or the receiver said. Part of the
 * partner's view too, and stored with the attempt.
 */
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

/** Why an exchange failed before its response was complete. */
export type Failure = { error: DeliveryError; detail: DeliveryErrorDetail | null };

/** The host may not be called. */
export class BlockedAddressError extends Error {
  override readonly name = 'BlockedAddressError';
}

/** The host name has no address, or its name servers did not respond. */
export class UnresolvedHostError extends Error {
  override readonly name = 'UnresolvedHostError';
}

// The codes of OpenSSL and of certificate verification have no common prefix (Node's documentation, "X509 certificate
// error codes"); these fragments cover them all and no system error.
const TLS_CODE =
  /TLS|SSL|CERT|CRL|UNABLE_TO|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH|^EPROTO$/;

/** The first pattern that fits decides. */
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

/** Names what ended an exchange before its response was complete. Unknown errors are `network_error`. */
export function failureOf(error: unknown): Failure {
  if (error instanceof BlockedAddressError) return { error: 'blocked_address', detail: null };
  if (error instanceof UnresolvedHostError) {
    const isCertain = error.cause === undefined || isDefiniteAbsence(error.cause);
    return { error: 'dns_error', detail: isCertain ? 'name_not_found' : 'name_server_failed' };
  }
  const code = errorCodeOf(error);
  switch (code) {
    case 'ECONNREFUSED':
      return { error: 'connection_refused', detail: null };
    case 'ECONNRESET':
    case 'EPIPE':
      return { error: 'connection_reset', detail: null };
    case 'ETIMEDOUT':
      return { error: 'timeout', detail: null };
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return { error: 'network_error', detail: 'host_unreachable' };
    case 'HPE_HEADER_OVERFLOW':
      return { error: 'network_error', detail: 'headers_too_large' };
    default:
      if (code.startsWith('HPE_')) return { error: 'network_error', detail: 'malformed_response' };
      return TLS_CODE.test(code)
        ? { error: 'tls_error', detail: tlsDetailOf(code, error) }
        : { error: 'network_error', detail: null };
  }
}

function tlsDetailOf(code: string, error: unknown): DeliveryErrorDetail {
  // OpenSSL's reason stands in the message alone where the handshake failed in a write.
  const reason =
    code === 'EPROTO' && error instanceof Error ? error.message.replaceAll(' ', '_').toUpperCase() : code;
  return TLS_DETAILS.find(([pattern]) => pattern.test(reason))?.[1] ?? 'handshake_failed';
}

/** Whether a look-up failed since there is no such name, or no address of it, rather than for lack of a response. */
export function isDefiniteAbsence(error: unknown): boolean {
  return ['ENOTFOUND', 'ENODATA'].includes(errorCodeOf(error));
}

/** The `code` of a system error (`ENOTFOUND`, say); the empty string for anything that has none. */
function errorCodeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

/** The verdict of a status alone: `null` for 2xx. */
export function deliveryErrorOfStatus(statusCode: number): DeliveryError | null {
  if (statusCode >= 200 && statusCode < 300) return null;
  return statusCode >= 300 && statusCode < 400 ? 'redirect' : 'http_status';
}
