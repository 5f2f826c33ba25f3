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

/** Names what ended an exchange before its response was complete. Unknown errors are `network_error`. */
export function deliveryErrorOf(error: unknown): DeliveryError {
  if (error instanceof BlockedAddressError) return 'blocked_address';
  if (error instanceof UnresolvedHostError) return 'dns_error';
  const code = errorCodeOf(error);
  switch (code) {
    case 'ECONNREFUSED':
      return 'connection_refused';
    case 'ECONNRESET':
    case 'EPIPE':
    case 'UND_ERR_SOCKET':
      return 'connection_reset';
    case 'ETIMEDOUT':
    case 'UND_ERR_CONNECT_TIMEOUT':
      return 'timeout';
    default:
      return TLS_CODE.test(code) ? 'tls_error' : 'network_error';
  }
}

/** The `code` of a system error (`ENOTFOUND`, say); the empty string for anything that has none. */
export function errorCodeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

/** The verdict of a status alone: `null` for 2xx. */
export function deliveryErrorOfStatus(statusCode: number): DeliveryError | null {
  if (statusCode >= 200 && statusCode < 300) return null;
  return statusCode >= 300 && statusCode < 400 ? 'redirect' : 'http_status';
}
