import { expect, test } from '@jest/globals';
import { diskUsedIn } from '../../src/operations/metrics/database-disk.store.ts';
import { serversIn } from '../../src/queues/open-queues.ts';

const info = (fields: Record<string, string | number>) =>
  Object.entries({
    used_memory: 900,
    mem_not_counted_for_evict: 0,
    maxmemory: 0,
    maxmemory_human: '0B',
    aof_enabled: 1,
    rdb_last_bgsave_status: 'ok',
    aof_last_bgrewrite_status: 'ok',
    aof_last_write_status: 'ok',
    ...fields,
  })
    .map(([name, value]) => `${name}:${value}\r\n`)
    .join('');

test('a Redis without maxmemory has no limit to reach', () => {
  expect(serversIn([info({})])).toEqual({ isPersistent: true, isPersistenceFailing: false, memoryUsed: 0 });
});

test.each(['rdb_last_bgsave_status', 'aof_last_bgrewrite_status', 'aof_last_write_status'])(
  'one node with %s err is reported',
  (name) => {
    expect(serversIn([info({}), info({ [name]: 'err' })]).isPersistenceFailing).toBe(true);
  },
);

test('one node without an append-only file makes all not persistent; an unknown one makes it unknown', () => {
  const silent = info({}).replace(/aof_enabled.*\r\n/, '');
  expect(serversIn([info({}), silent, info({ aof_enabled: 0 })]).isPersistent).toBe(false);
  expect(serversIn([info({}), silent]).isPersistent).toBeUndefined();
});

test('the fullest node counts, without the memory that Redis excludes itself', () => {
  const full = info({ maxmemory: 1000, mem_not_counted_for_evict: 100 });
  expect(serversIn([info({ maxmemory: 2000 }), full, info({})]).memoryUsed).toBe(0.8);
});

test('the disk of MongoDB is the server’s; undefined if it does not report it', () => {
  expect(diskUsedIn({ fsUsedSize: 30, fsTotalSize: 40 })).toBe(0.75);
  expect([diskUsedIn({}), diskUsedIn({ fsUsedSize: 0, fsTotalSize: 0 })]).toEqual([undefined, undefined]);
});
