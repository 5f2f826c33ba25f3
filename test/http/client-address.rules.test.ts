import { expect, test } from '@jest/globals';
import { addressKey, clientAddress } from '../../src/http/client-address.rules.ts';

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:3::', '2001:db8:1:3::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  [undefined, 'unknown'],
  ['', 'unknown'],
  ['_hidden', 'unknown'],
])('the address %s has the rate-limit key %s', (ip, key) => {
  expect(addressKey(ip)).toBe(key);
});

test.each([
  ['192.0.2.7', '127.0.0.1', '192.0.2.7'],
  ['::ffff:192.0.2.7', '127.0.0.1', '192.0.2.7'],
  ['2001:DB8::1', '127.0.0.1', '2001:db8::1'],
  ['192.0.2.7:4711', '127.0.0.1', '192.0.2.7'],
  ['[2001:DB8::1]:443', '127.0.0.1', '2001:db8::1'],
  ['[2001:db8::1]', '127.0.0.1', '2001:db8::1'],
  ['unknown:443', '127.0.0.1', '127.0.0.1'],
  ['<script>', '::ffff:127.0.0.1', '127.0.0.1'],
  [undefined, undefined, undefined],
])('with the forwarded address %j on a connection from %s, the client is %s', (forwarded, connection, address) => {
  expect(clientAddress(forwarded, connection)).toBe(address);
});
