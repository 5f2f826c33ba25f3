import { expect, test } from '@jest/globals';
import { serversIn } from '../../src/queues/open-queues.ts';

const HEALTHY = {
  used_memory: '900',
  mem_not_counted_for_evict: '0',
  maxmemory: '0',
  maxmemory_human: '0B',
  aof_enabled: '1',
  rdb_last_bgsave_status: 'ok',
  aof_last_bgrewrite_status: 'ok',
  aof_last_write_status: 'ok',
};
const info = (fields: Record<string, string>) =>
  Object.entries({ ...HEALTHY, ...fields })
    .map(([name, value]) => (value === '' ? '' : `${name}:${value}\r\n`))
    .join('');

test.each<[what: string, nodes: Record<string, string>[], expected: object]>([
  ['no limit of memory', [{}], { isPersistent: true, isPersistenceFailing: false, memoryUsed: 0 }],
  ['a failed snapshot', [{}, { rdb_last_bgsave_status: 'err' }], { isPersistenceFailing: true }],
  ['a failed rewrite of its log', [{}, { aof_last_bgrewrite_status: 'err' }], { isPersistenceFailing: true }],
  ['a failed write to its log', [{}, { aof_last_write_status: 'err' }], { isPersistenceFailing: true }],
  ['no append-only file', [{}, { aof_enabled: '' }, { aof_enabled: '0' }], { isPersistent: false }],
  ['no word about its append-only file', [{}, { aof_enabled: '' }], { isPersistent: undefined }],
  [
    'the fullest memory, without the part that maxmemory excludes',
    [{ maxmemory: '2000' }, { maxmemory: '1000', mem_not_counted_for_evict: '100' }, {}],
    { memoryUsed: 0.8 },
  ],
])('a Redis counts as its worst node: one with %s', (_what, nodes, expected) => {
  expect(serversIn(nodes.map(info))).toMatchObject(expected);
});
