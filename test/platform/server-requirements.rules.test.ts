import { describe, expect, test } from '@jest/globals';
import {
  directUri,
  isPersistent,
  redisFaults,
  requireSupportedMongod,
  UnsupportedServerError,
} from '../../src/platform/server-requirements.rules.ts';

const URI = 'mongodb://h/db?replicaSet=rs0';

test.each([
  ['a router of shards', { msg: 'isdbgrid', maxWireVersion: 21 }, 'Name a replica set in MONGODB_URI'],
  ['version 5.0', { setName: 'rs0', maxWireVersion: 13 }, 'older than 6.0. Upgrade'],
])('a MongoDB that is %s is rejected, and the error says what to do', (_what, hello, remedy) => {
  expect(() => requireSupportedMongod(hello, URI)).toThrow(UnsupportedServerError);
  expect(() => requireSupportedMongod(hello, URI)).toThrow(remedy);
});

test.each([
  ['mongodb://h:27018', 'mongodb://h:27018/?directConnection=true'],
  [URI, 'mongodb://h/db?directConnection=true'],
  [
    'mongodb://u:p@h1:1,h2:2/db?authSource=admin&replicaSet=rs0&tls=true',
    'mongodb://u:p@h1:1/db?authSource=admin&tls=true&directConnection=true',
  ],
  ['mongodb+srv://u:p@cluster.example/db', undefined],
])('the URI of the first host of %s is %s', (uri, direct) => {
  expect(directUri(uri)).toBe(direct);
});

describe('a Redis', () => {
  const info = (fields: Record<string, string>) =>
    Object.entries({ redis_version: '7.2.4', maxmemory_policy: 'noeviction', aof_enabled: '1', ...fields })
      .map(([name, value]) => `${name}:${value}\r\n`)
      .join('');

  test('of the oldest supported version is suitable', () => {
    expect(redisFaults(info({ redis_version: '6.2.0' }))).toEqual([]);
  });

  test.each([
    ['is a node of a cluster', { cluster_enabled: '1' }, /begin REDIS_URL with redis\+cluster:/],
    ['is old', { redis_version: '6.0.16' }, /6\.0\.16: upgrade it to 6\.2/],
    ['is very old', { redis_version: '5.0.14' }, /5\.0\.14: upgrade it to 6\.2/],
  ])('that %s is unsuitable, and a sentence says what to do', (_what, fields, sentence) => {
    expect(redisFaults(info(fields))).toEqual([expect.stringMatching(sentence)]);
  });

  test('is not rejected for values that it does not report', () => {
    expect([redisFaults('# Server\r\n'), isPersistent('# Server\r\n')]).toEqual([[], undefined]);
  });
});
