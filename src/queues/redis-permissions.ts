import type { RedisConnection } from '../platform/redis-client.ts';

/** The commands that BullMQ's scripts call. Here they change only `K`, a key that is deleted afterwards. */
const SCRIPT_CALLS = `
  DEL K · EXISTS K · GET K · HDEL K f · HEXISTS K f · HGET K f · HGETALL K · HINCRBY K f 1 · HLEN K · HMGET K f · HMSET K f 1 · HSET K f 1 ·
  INCR K · INCRBY K 1 · LINDEX K 0 · LLEN K · LPOP K · LPOS K e · LPUSH K e · LRANGE K 0 0 · LREM K 0 e · LSET K 0 e · LTRIM K 0 0 ·
  PERSIST K · PEXPIRE K 1000 · PEXPIREAT K 1 · PTTL K · RENAME K K · RPOP K · RPOPLPUSH K K · RPUSH K e · SADD K e · SCARD K · SET K 1 ·
  SISMEMBER K e · SMEMBERS K · SREM K e · TIME · TYPE K · UNLINK K · XADD K * f 1 · XDEL K 0-1 · XLEN K · XRANGE K 0 0 ·
  XREAD COUNT 1 STREAMS K 0 · XTRIM K MAXLEN 1 · ZADD K 1 e · ZCARD K · ZCOUNT K 0 0 · ZLEXCOUNT K - + · ZPOPMIN K · ZRANGE K 0 0 ·
  ZRANGEBYLEX K - + · ZRANGEBYSCORE K 0 0 · ZREM K e · ZREMRANGEBYRANK K 0 0 · ZREMRANGEBYSCORE K 0 0 · ZREVRANGE K 0 0 ·
  ZREVRANGEBYSCORE K 0 0 · ZSCORE K e`
  .split('·')
  .map((command) => command.trim());

export const COMMANDS_IN_SCRIPTS = SCRIPT_CALLS.map((command) => command.split(' ')[0] ?? '');

/** A script that calls each command and returns the names of those that the user may not call. */
const TRY_EACH = `
  local denied = {}
  for _, line in ipairs(ARGV) do
    local words = {}
    for word in string.gmatch(line, '%S+') do words[#words + 1] = word == 'K' and KEYS[1] or word end
    local reply = redis.pcall(unpack(words))
    local text = type(reply) == 'table' and reply.err or ''
    if string.find(text, 'NOPERM') or string.find(text, 'ermission') or string.find(text, 'can.t run') then
      denied[#denied + 1] = string.lower(words[1])
    end
  end
  redis.pcall('UNLINK', KEYS[1])
  return denied`;

const isDenied = (err: unknown): err is Error => err instanceof Error && err.message.startsWith('NOPERM');

/** The permissions that the Redis user lacks, as words of `ACL SETUSER` (`+bzpopmin`, `~pbs:*`). */
export async function missingPermissions(redis: RedisConnection, prefix: string): Promise<string[]> {
  const key = `${prefix}:permissions`;
  const commands: [rule: string, ask: () => Promise<unknown>][] = [
    ['+info', () => redis.call('INFO')],
    ['+client|setname', () => redis.client('SETNAME', 'permissions')],
    ['+multi +exec', () => redis.multi().exists(key).exec()],
    ['+eval', () => redis.eval('return 1', 1, key)],
    ['+evalsha', () => redis.evalsha('0'.repeat(40), 1, key)],
    ['+bzpopmin', () => redis.bzpopmin(key, 0.001)],
  ];
  const missing: string[] = [];
  for (const [rule, ask] of commands) {
    const reply = await ask().catch((err: unknown) => err);
    if (isDenied(reply)) missing.push(/key/i.test(reply.message) ? `~${prefix}:*` : rule);
  }
  if (missing.includes('+eval') || missing.includes(`~${prefix}:*`)) return [...new Set(missing)];
  const denied = (await redis.eval(TRY_EACH, 1, key, ...SCRIPT_CALLS)) as string[];
  return [...missing, ...denied.map((name) => `+${name}`)];
}
