import { describe, expect, test } from '@jest/globals';
import {
  BlockedAddressError,
  deliveryErrorOfStatus,
  failureOf,
  UnresolvedHostError,
} from '../../src/webhooks/sender/delivery-error.rules.ts';

const withCode = (code: string, message = 'failed') => Object.assign(new Error(message), { code });

describe('failureOf', () => {
  test.each([
    ['ECONNREFUSED', 'connection_refused'],
    ['ECONNRESET', 'connection_reset'],
    ['EPIPE', 'connection_reset'],
    ['ETIMEDOUT', 'timeout'],
    ['EHOSTUNREACH', 'network_error'],
    ['ENETUNREACH', 'network_error'],
    ['EADDRNOTAVAIL', 'network_error'],
    ['EMFILE', 'network_error'],
    ['HPE_HEADER_OVERFLOW', 'network_error'],
    ['HPE_INVALID_CONSTANT', 'network_error'],
  ])('%s is %s', (code, name) => expect(failureOf(withCode(code)).error).toBe(name));

  test.each([
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'CERT_HAS_EXPIRED',
    'CERT_NOT_YET_VALID',
    'CERT_REVOKED',
    'CERT_UNTRUSTED',
    'CRL_HAS_EXPIRED',
    'ERROR_IN_CERT_NOT_AFTER_FIELD',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'HOSTNAME_MISMATCH',
    'INVALID_CA',
    'INVALID_PURPOSE',
    'PATH_LENGTH_EXCEEDED',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'ERR_SSL_WRONG_VERSION_NUMBER',
    'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
    'EPROTO',
  ])('%s is tls_error', (code) => expect(failureOf(withCode(code)).error).toBe('tls_error'));

  test('the guard and the resolver are told apart from the network', () => {
    expect(failureOf(new BlockedAddressError('blocked')).error).toBe('blocked_address');
    expect(failureOf(new UnresolvedHostError('unresolved')).error).toBe('dns_error');
  });

  test.each([[new Error('no code')], ['text'], [undefined], [null]])('%p is network_error', (error) =>
    expect(failureOf(error)).toEqual({ error: 'network_error', detail: null }),
  );
});

const handshake = (reason: string) =>
  `write EPROTO 80:error:0A:SSL routines:ssl3_read_bytes:${reason}:../ssl.c:1601:`;

describe('the detail of a failure', () => {
  test.each([
    ['CERT_HAS_EXPIRED', 'certificate_expired'],
    ['CERT_NOT_YET_VALID', 'certificate_not_yet_valid'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'hostname_mismatch'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'unknown_issuer'],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'unknown_issuer'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'unknown_issuer'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'unknown_issuer'],
    ['CERT_REVOKED', 'certificate_invalid'],
    ['ERROR_IN_CERT_NOT_AFTER_FIELD', 'certificate_invalid'],
    ['INVALID_PURPOSE', 'certificate_invalid'],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'client_certificate_required'],
    ['ERR_SSL_UNSUPPORTED_PROTOCOL', 'protocol_version'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'not_tls'],
    ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'handshake_failed'],
    ['ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE', 'handshake_failed'],
    ['HPE_HEADER_OVERFLOW', 'headers_too_large'],
    ['HPE_INVALID_CHUNK_SIZE', 'malformed_response'],
    ['EHOSTUNREACH', 'host_unreachable'],
    ['ECONNREFUSED', null],
    ['EMFILE', null],
  ])('%s is %s', (code, detail) => expect(failureOf(withCode(code)).detail).toBe(detail));

  test.each([
    ['wrong version number', 'not_tls'],
    ['tlsv1 alert protocol version', 'protocol_version'],
    ['tlsv1 alert no application protocol', 'protocol_version'],
    ['sslv3 alert handshake failure', 'handshake_failed'],
  ])('a handshake that failed in a write: %s is %s', (reason, detail) =>
    expect(failureOf(withCode('EPROTO', handshake(reason)))).toEqual({ error: 'tls_error', detail }),
  );

  test.each([
    ['ENOTFOUND', 'name_not_found'],
    ['ENODATA', 'name_not_found'],
    ['ESERVFAIL', 'name_server_failed'],
    ['ETIMEOUT', 'name_server_failed'],
  ])('a look-up that failed with %s is %s', (code, detail) =>
    expect(failureOf(new UnresolvedHostError('unresolved', { cause: withCode(code) })).detail).toBe(detail),
  );
});

describe('deliveryErrorOfStatus', () => {
  test.each([200, 201, 202, 204, 206, 299])('%d is a success', (status) =>
    expect(deliveryErrorOfStatus(status)).toBeNull(),
  );
  test.each([300, 301, 302, 304, 307, 308, 399])('%d is redirect', (status) =>
    expect(deliveryErrorOfStatus(status)).toBe('redirect'),
  );
  test.each([400, 401, 404, 410, 429, 500, 503, 599])('%d is http_status', (status) =>
    expect(deliveryErrorOfStatus(status)).toBe('http_status'),
  );
});
