import { expect, test } from '@jest/globals';
import { endpointHost, outcomeName, outcomeText } from '../../src/webhooks/deliveries/delivery-text.rules.ts';

const NONE = { statusCode: null, errorDetail: null, durationMs: 41 };

test.each([
  [{ ...NONE, error: null, statusCode: 204 }, 'HTTP 204 from partner.example', 'HTTP 204'],
  [{ ...NONE, error: 'http_status', statusCode: 503 }, 'HTTP 503 from partner.example', 'HTTP 503'],
  [
    { ...NONE, error: 'redirect', statusCode: 301 },
    'HTTP 301 from partner.example, redirects are not followed',
    'HTTP 301',
  ],
  [{ ...NONE, error: 'timeout', durationMs: 10_004 }, 'timeout after 10 s from partner.example', 'timeout'],
  [{ ...NONE, error: 'connection_refused' }, 'connection refused by partner.example', 'connection refused'],
  [{ ...NONE, error: 'connection_reset' }, 'connection reset by partner.example', 'connection reset'],
  [
    { ...NONE, error: 'tls_error', errorDetail: 'certificate_expired' },
    'TLS handshake with partner.example failed (certificate expired)',
    'tls error',
  ],
  [
    { ...NONE, error: 'dns_error', errorDetail: 'name_not_found' },
    'DNS lookup of partner.example failed (name not found)',
    'dns error',
  ],
  [{ ...NONE, error: 'blocked_address' }, 'address of partner.example not allowed', 'blocked address'],
  [{ ...NONE, error: 'network_error' }, 'network error with partner.example', 'network error'],
] as const)('the text of %j is "%s", and its short name "%s"', (outcome, text, name) => {
  expect(outcomeText(outcome, 'partner.example')).toBe(text);
  expect(outcomeName(outcome)).toBe(name);
});

test('an endpoint is named by its host and port, without path, query and credentials', () => {
  expect(endpointHost('https://user:secret@partner.example:8443/hooks/secret?token=secret')).toBe(
    'partner.example:8443',
  );
  expect(endpointHost('https://partner.example/')).toBe('partner.example');
  expect([endpointHost(undefined), endpointHost('none')]).toEqual([null, null]);
});
