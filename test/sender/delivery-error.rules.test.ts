import { describe, expect, test } from '@jest/globals';
import {
  BlockedAddressError,
  deliveryErrorOf,
  deliveryErrorOfStatus,
  UnresolvedHostError,
} from '../../src/sender/delivery-error.rules.ts';

const withCode = (code: string) => Object.assign(new Error('failed'), { code });

describe('deliveryErrorOf', () => {
  test.each([
    ['ECONNREFUSED', 'connection_refused'],
    ['ECONNRESET', 'connection_reset'],
    ['EPIPE', 'connection_reset'],
    ['UND_ERR_SOCKET', 'connection_reset'],
    ['ETIMEDOUT', 'timeout'],
    ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
    ['EHOSTUNREACH', 'network_error'],
    ['ENETUNREACH', 'network_error'],
    ['EADDRNOTAVAIL', 'network_error'],
    ['EMFILE', 'network_error'],
    ['UND_ERR_HEADERS_OVERFLOW', 'network_error'],
    ['HPE_INVALID_CONSTANT', 'network_error'],
  ])('%s is %s', (code, name) => expect(deliveryErrorOf(withCode(code))).toBe(name));

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
  ])('%s is tls_error', (code) => expect(deliveryErrorOf(withCode(code))).toBe('tls_error'));

  test('the guard and the resolver are told apart from the network', () => {
    expect(deliveryErrorOf(new BlockedAddressError('blocked'))).toBe('blocked_address');
    expect(deliveryErrorOf(new UnresolvedHostError('unresolved'))).toBe('dns_error');
  });

  test.each([[new Error('no code')], ['text'], [undefined], [null]])('%p is network_error', (error) =>
    expect(deliveryErrorOf(error)).toBe('network_error'),
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
