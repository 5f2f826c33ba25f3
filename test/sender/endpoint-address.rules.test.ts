import { describe, expect, test } from '@jest/globals';
import { isPublicAddress } from '../../src/webhooks/sender/endpoint-address.rules.ts';

/** First and last address of each range that is set apart, and the public neighbours just outside. */
const edges: ReadonlyArray<{ range: string; inside: readonly string[]; outside: readonly string[] }> = [
  { range: '0.0.0.0/8', inside: ['0.0.0.0', '0.255.255.255'], outside: ['1.0.0.0'] },
  { range: '10.0.0.0/8', inside: ['10.0.0.0', '10.255.255.255'], outside: ['9.255.255.255', '11.0.0.0'] },
  {
    range: '100.64.0.0/10',
    inside: ['100.64.0.0', '100.127.255.255'],
    outside: ['100.63.255.255', '100.128.0.0'],
  },
  {
    range: '127.0.0.0/8',
    inside: ['127.0.0.0', '127.255.255.255'],
    outside: ['126.255.255.255', '128.0.0.0'],
  },
  {
    range: '169.254.0.0/16',
    inside: ['169.254.0.0', '169.254.255.255'],
    outside: ['169.253.255.255', '169.255.0.0'],
  },
  {
    range: '172.16.0.0/12',
    inside: ['172.16.0.0', '172.31.255.255'],
    outside: ['172.15.255.255', '172.32.0.0'],
  },
  {
    range: 'Azure, 168.63.129.16',
    inside: ['168.63.129.16'],
    outside: ['168.63.129.15', '168.63.129.17'],
  },
  {
    range: 'Equinix Metal, 192.80.8.124',
    inside: ['192.80.8.124'],
    outside: ['192.80.8.123', '192.80.8.125'],
  },
  {
    range: 'IBM Cloud, 161.26.0.0/16',
    inside: ['161.26.0.0', '161.26.255.255'],
    outside: ['161.25.255.255', '161.27.0.0'],
  },
  {
    range: 'IBM Cloud, 166.8.0.0/14',
    inside: ['166.8.0.0', '166.11.255.255'],
    outside: ['166.7.255.255', '166.12.0.0'],
  },
  {
    range: 'Google Cloud, 199.36.153.4/30 and 199.36.153.8/30',
    inside: ['199.36.153.4', '199.36.153.11'],
    outside: ['199.36.153.3', '199.36.153.12'],
  },
  { range: '192.0.0.0/24', inside: ['192.0.0.0', '192.0.0.255'], outside: ['191.255.255.255', '192.0.1.0'] },
  { range: '192.0.2.0/24', inside: ['192.0.2.0', '192.0.2.255'], outside: ['192.0.1.255', '192.0.3.0'] },
  {
    range: '192.168.0.0/16',
    inside: ['192.168.0.0', '192.168.255.255'],
    outside: ['192.167.255.255', '192.169.0.0'],
  },
  {
    range: '198.18.0.0/15',
    inside: ['198.18.0.0', '198.19.255.255'],
    outside: ['198.17.255.255', '198.20.0.0'],
  },
  {
    range: '198.51.100.0/24',
    inside: ['198.51.100.0', '198.51.100.255'],
    outside: ['198.51.99.255', '198.51.101.0'],
  },
  {
    range: '203.0.113.0/24',
    inside: ['203.0.113.0', '203.0.113.255'],
    outside: ['203.0.112.255', '203.0.114.0'],
  },
  { range: '224.0.0.0/3', inside: ['224.0.0.0', '255.255.255.255'], outside: ['223.255.255.255'] },
  {
    range: '2001::/23',
    inside: ['2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff'],
    outside: ['2001:200::'],
  },
  {
    range: '2001:db8::/32',
    inside: ['2001:db8::', '2001:db8:ffff::'],
    outside: ['2001:db7:ffff::', '2001:db9::'],
  },
  { range: '2002::/16', inside: ['2002::', '2002:ffff::'], outside: ['2001:ffff::', '2003::'] },
  { range: '3fff::/20', inside: ['3fff::', '3fff:fff::'], outside: ['3ffe:ffff::', '3fff:1000::'] },
  { range: 'outside 2000::/3', inside: ['1fff:ffff::', '4000::', '::', 'ffff::'], outside: ['2000::'] },
];

describe('isPublicAddress', () => {
  test.each(edges)('$range is not public, to its very edges', ({ inside, outside }) => {
    expect(inside.filter(isPublicAddress)).toEqual([]);
    expect(outside.filter((ip) => !isPublicAddress(ip))).toEqual([]);
  });

  test.each([
    '8.8.8.8',
    '1.1.1.1',
    '93.184.215.14',
    '2606:4700:4700::1111',
    '2001:4860:4860::8888',
    '2a00:1450::1',
  ])('%s, an address of the public internet, is public', (ip) => expect(isPublicAddress(ip)).toBe(true));

  test.each([
    '',
    'example.com',
    '127.1',
    '2130706433',
    '0x7f.1',
    '8.8.8',
    '[2606:4700::1]',
    '8.8.8.8/32',
    '1.2.3.4.5',
  ])('"%s", which is not an address in the form that DNS answers have, is not public', (text) =>
    expect(isPublicAddress(text)).toBe(false),
  );
});
