import { infoField } from '../platform/server-requirements.rules.ts';

/** What the servers of Redis say of themselves, the worst of each; `memoryUsed` is a part of `maxmemory`, 0 without one. */
export type RedisServers = { isPersistenceFailing: boolean; memoryUsed: number };

const OUTCOMES = ['aof_last_write_status', 'aof_last_bgrewrite_status', 'rdb_last_bgsave_status'];

/** Of what INFO returned, of each server that was asked. */
export function serversIn(infos: readonly string[]): RedisServers {
  return {
    isPersistenceFailing: infos.some((info) => OUTCOMES.some((name) => infoField(info, name) === 'err')),
    memoryUsed: Math.max(0, ...infos.map(memoryUsed)),
  };
}

/** By the figures by which Redis itself decides whether it is full. */
function memoryUsed(info: string): number {
  const bytes = (name: string) => Number(infoField(info, name) ?? 0);
  const max = bytes('maxmemory');
  return max > 0 ? (bytes('used_memory') - bytes('mem_not_counted_for_evict')) / max : 0;
}
