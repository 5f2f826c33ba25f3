import { describe, expect, test } from '@jest/globals';
import {
  directUri,
  isPersistent,
  redisFaults,
  requireSupportedMongod,
  UnsupportedServerError,
} from '../../src/platform/server-requirements.rules.ts';

const URI = 'mongodb://h/db?replicaSet=rs0';
const FIT = { setName: 'rs0', maxWireVersion: 17 };

describe('a MongoDB', () => {
  test.each([
    ['a member of the set that is named', FIT],
    ['a member of a set that is yet to be made', { isreplicaset: true, maxWireVersion: 17 }],
  ])('that is %s is suitable', (_what, hello) => {
    expect(() => requireSupportedMongod(hello, URI)).not.toThrow();
  });

  test.each([
    ['by itself', { maxWireVersion: 17 }, '--replSet rs0, run rs.initiate()'],
    ['a router of shards', { msg: 'isdbgrid', maxWireVersion: 21 }, 'Name a replica set in MONGODB_URI'],
    ['5.0', { ...FIT, maxWireVersion: 13 }, 'older than 6.0. Upgrade'],
    ['of another set', { ...FIT, setName: 'rs1' }, 'Set replicaSet=rs1 in MONGODB_URI'],
  ])('that is %s is not, and the error says what to do', (_what, hello, remedy) => {
    expect(() => requireSupportedMongod(hello, URI)).toThrow(UnsupportedServerError);
    expect(() => requireSupportedMongod(hello, URI)).toThrow(remedy);
  });
});

test.each([
  ['mongodb://h:27018', 'mongodb://h:27018/?directConnection=true'],
  [URI, 'mongodb://h/db?directConnection=true'],
  [
    'mongodb://u:p@h1:1,h2:2/db?authSource=admin&replicaSet=rs0&tls=true',
    'mongodb://u:p@h1:1/db?authSource=admin&tls=true&directConnection=true',
  ],
  ['mongodb+srv://u:p@cluster.example/db', undefined],
])('the first host of %s is at %s', (uri, direct) => {
  expect(directUri(uri)).toBe(direct);
});

describe('a Redis', () => {
  const info = (fields: Record<string, string>) =>
    Object.entries({ redis_version: '7.2.4', maxmemory_policy: 'noeviction', aof_enabled: '1', ...fields })
      .map(([name, value]) => `${name}:${value}\r\n`)
      .join('');

  test.each([
    ['keeps its data', {}],
    ['is as old as it may be', { redis_version: '6.2.0' }],
  ])('that %s is suitable', (_what, fields) => {
    expect(redisFaults(info(fields))).toEqual([]);
  });

  test.each([
    ['evicts', { maxmemory_policy: 'volatile-lru' }, /volatile-lru.*set maxmemory-policy noeviction/],
    ['is a node of a cluster', { cluster_enabled: '1' }, /begin REDIS_URL with redis\+cluster:/],
    ['is old', { redis_version: '6.0.16' }, /6\.0\.16: upgrade it to 6\.2/],
    ['is very old', { redis_version: '5.0.14' }, /5\.0\.14: upgrade it to 6\.2/],
  ])('that %s is not, and a sentence says what to do', (_what, fields, sentence) => {
    expect(redisFaults(info(fields))).toEqual([expect.stringMatching(sentence)]);
  });

  test('without an append-only file is suitable, but not persistent', () => {
    const volatile = info({ aof_enabled: '0' });
    expect([redisFaults(volatile), isPersistent(volatile), isPersistent(info({}))]).toEqual([[], false, true]);
  });

  test('is not rejected for values that it does not report', () => {
    expect([redisFaults('# Server\r\n'), isPersistent('# Server\r\n')]).toEqual([[], undefined]);
  });
});
