import { expect, test } from '@jest/globals';
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

test('memoryUsed is 0 without maxmemory', () => {
  expect(serversIn([info({})])).toEqual({ isPersistent: true, isPersistenceFailing: false, memoryUsed: 0 });
});

test.each(['rdb_last_bgsave_status', 'aof_last_bgrewrite_status', 'aof_last_write_status'])(
  'one node with %s=err is reported',
  (name) => {
    expect(serversIn([info({}), info({ [name]: 'err' })]).isPersistenceFailing).toBe(true);
  },
);

test('isPersistent is false if any node has no append-only file, undefined if one does not say', () => {
  const silent = info({}).replace(/aof_enabled.*\r\n/, '');
  expect(serversIn([info({}), silent, info({ aof_enabled: 0 })]).isPersistent).toBe(false);
  expect(serversIn([info({}), silent]).isPersistent).toBeUndefined();
});

test('memoryUsed is that of the fullest node, without memory that maxmemory excludes', () => {
  const full = info({ maxmemory: 1000, mem_not_counted_for_evict: 100 });
  expect(serversIn([info({ maxmemory: 2000 }), full, info({})]).memoryUsed).toBe(0.8);
});
