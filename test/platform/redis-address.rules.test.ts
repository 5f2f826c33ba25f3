import { describe, expect, test } from '@jest/globals';
import { hasHashTag, redisAddress } from '../../src/platform/redis-address.rules.ts';

const at = (host: string, port: number) => ({ host, port });
const SENTINEL = { kind: 'sentinel', isEncrypted: false, master: 'main', db: 0, sentinelCredentials: {} };
const ENCRYPTED = { isEncrypted: true, username: 'u', password: 'a:b' };
const CLUSTER = { kind: 'cluster', isEncrypted: false };

describe('an address of Redis', () => {
  test.each<[url: string, address: object]>([
    ['redis://h', { kind: 'server', isEncrypted: false, db: 0 }],
    ['rediss://u:p%40ss@h:6380/2', { kind: 'server', isEncrypted: true, username: 'u', password: 'p@ss', db: 2 }],
    [
      'redis+sentinel://s1,s2:26380,[::1]:26381/main',
      { ...SENTINEL, hosts: [at('s1', 26_379), at('s2', 26_380), at('::1', 26_381)] },
    ],
    [
      'rediss+sentinel://u:a:b@s/main/3?sentinel_username=w&sentinel_password=x%26y',
      {
        ...SENTINEL,
        ...ENCRYPTED,
        hosts: [at('s', 26_379)],
        db: 3,
        sentinelCredentials: { username: 'w', password: 'x&y' },
      },
    ],
    [
      'redis+sentinel://s/main?sentinel_password=ab+c=%2B',
      { ...SENTINEL, hosts: [at('s', 26_379)], sentinelCredentials: { password: 'ab+c=+' } },
    ],
    [
      'rediss+cluster://:p@h1:7000,h2',
      { ...CLUSTER, isEncrypted: true, password: 'p', hosts: [at('h1', 7000), at('h2', 6379)] },
    ],
    ['redis+cluster://h/', { ...CLUSTER, hosts: [at('h', 6379)] }],
  ])('%s is valid', (url, address) => {
    expect(redisAddress(url)).toEqual(address);
  });

  test.each([
    ['http://h', 'must be a redis:// or rediss:// address, or redis+sentinel://, redis+cluster://'],
    ['redis:h', 'must be a redis://'],
    ['redis:///5', 'must name a host'],
    ['redis://h/x', 'must have only the number of a database'],
    ['redis://h?familly=6', 'must have no options'],
    ['redis://h/5#x', 'must have no options'],
    ['redis+cluster://p@ss@h', 'must be a redis://'],
    ['redis+sentinel://h:26379', 'must name the master that the sentinels watch'],
    ['redis+sentinel://h/main/x', 'must name the master'],
    ['redis+sentinel://h/main?role=slave', 'must have no option but sentinel_username and sentinel_password'],
    ['redis+sentinel:///main', 'must list its hosts as host:port'],
    ['redis+cluster://h1:7000,,h2', 'must list its hosts as host:port'],
    ['redis+cluster://h1:70000', 'must list its hosts as host:port'],
    ['redis+cluster://h/1', 'must end after the hosts of a cluster'],
    ['rediss+cluster://:%zz@h', 'must have its user name and password percent-encoded'],
    ['redis://:%zz@h', 'must have its user name and password percent-encoded'],
  ])('%s is rejected: it %s', (url, fault) => {
    expect(() => redisAddress(url)).toThrow(fault);
  });
});

test.each([
  ['{pbs}', true],
  ['a{pbs}b', true],
  ['pbs', false],
  ['{}', false],
  // Redis reads only the first braces.
  ['{}{pbs}', false],
  ['}pbs{', false],
])('whether the prefix %s has a hash tag: %s', (prefix, expected) => {
  expect(hasHashTag(prefix)).toBe(expected);
});
