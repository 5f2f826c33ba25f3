import { expect, test } from '@jest/globals';
import { BlockedAddressError, failureOf, UnresolvedHostError } from '../../src/webhooks/sender/delivery-error.rules.ts';

const withCode = (code: string, message = 'failed') => Object.assign(new Error(message), { code });

test.each([
  ['ECONNREFUSED', 'connection_refused', null],
  ['ECONNRESET', 'connection_reset', null],
  ['EPIPE', 'connection_reset', null],
  ['ETIMEDOUT', 'timeout', null],
  ['EHOSTUNREACH', 'network_error', 'host_unreachable'],
  ['EMFILE', 'network_error', null],
  ['HPE_HEADER_OVERFLOW', 'network_error', 'headers_too_large'],
  ['HPE_INVALID_CHUNK_SIZE', 'network_error', 'malformed_response'],
  ['CERT_HAS_EXPIRED', 'tls_error', 'certificate_expired'],
  ['CERT_NOT_YET_VALID', 'tls_error', 'certificate_not_yet_valid'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls_error', 'hostname_mismatch'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls_error', 'unknown_issuer'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'tls_error', 'unknown_issuer'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'tls_error', 'unknown_issuer'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls_error', 'unknown_issuer'],
  ['CERT_REVOKED', 'tls_error', 'certificate_invalid'],
  ['ERROR_IN_CERT_NOT_AFTER_FIELD', 'tls_error', 'certificate_invalid'],
  ['INVALID_PURPOSE', 'tls_error', 'certificate_invalid'],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'tls_error', 'client_certificate_required'],
  ['ERR_SSL_UNSUPPORTED_PROTOCOL', 'tls_error', 'protocol_version'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls_error', 'not_tls'],
  ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'tls_error', 'handshake_failed'],
])('the error %s is %s, with the detail %s', (code, error, detail) => {
  expect(failureOf(withCode(code))).toEqual({ error, detail });
});

test.each([
  ['wrong version number', 'not_tls'],
  ['tlsv1 alert protocol version', 'protocol_version'],
  ['tlsv1 alert no application protocol', 'protocol_version'],
  ['sslv3 alert handshake failure', 'handshake_failed'],
])('a TLS handshake that failed during a write with "%s" has the detail %s', (reason, detail) => {
  const message = `write EPROTO 80:error:0A:SSL routines:ssl3_read_bytes:${reason}:../ssl.c:1601:`;
  expect(failureOf(withCode('EPROTO', message))).toEqual({ error: 'tls_error', detail });
});

test.each([
  ['ENOTFOUND', 'name_not_found'],
  ['ENODATA', 'name_not_found'],
  ['ESERVFAIL', 'name_server_failed'],
  ['ETIMEOUT', 'name_server_failed'],
])('a DNS lookup that failed with %s is dns_error, with the detail %s', (code, detail) => {
  const failure = new UnresolvedHostError('unresolved', { cause: withCode(code) });
  expect(failureOf(failure)).toEqual({ error: 'dns_error', detail });
});

test('an address that the sender rejects is blocked_address; any unknown error is network_error', () => {
  expect(failureOf(new BlockedAddressError('blocked')).error).toBe('blocked_address');
  for (const unknown of [new Error('no code'), 'text', undefined, null])
    expect(failureOf(unknown)).toEqual({ error: 'network_error', detail: null });
});
