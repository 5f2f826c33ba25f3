const { setTimeout: delay } = require('node:timers/promises');

/** How long what was closed may take to be gone: it bounds a failure. */
const SETTLED_AFTER_MS = 20_000;

/** Of MongoDB itself and the shared service; the others name the worker of Jest that made them (`freshName`). */
const LASTING = ['admin', 'config', 'local', 'shared'];

// Node opens these when they are first used, which some suite would be blamed for.
void [process.stdin, process.stdout, process.stderr];

/** How many of each kind keep this process from ending: sockets, timers, listeners, watchers. */
function openHandles() {
  const counts = new Map();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

/** What is open now and was not at `before`: `2 TCPSocketWrap`. */
function openedSince(before) {
  return [...openHandles()]
    .map(([kind, count]) => [kind, count - (before.get(kind) ?? 0)])
    .filter(([, more]) => more > 0)
    .map(([kind, more]) => `${more} ${kind}`);
}

/**
 * Databases that this worker made and did not drop, and keys in Redis that are under no service's prefix. Both are deleted, and what
 * this worker's services had in Redis.
 */
async function leftOnServers() {
  const { TEST_MONGODB_URI, TEST_REDIS_URL, JEST_WORKER_ID = '1' } = process.env;
  if (TEST_MONGODB_URI === undefined || TEST_REDIS_URL === undefined) return [];
  const { mongo } = require('mongoose');
  const { Redis } = require('ioredis');
  const client = new mongo.MongoClient(TEST_MONGODB_URI);
  const redis = new Redis(TEST_REDIS_URL);
  try {
    const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true });
    const own = `t${JEST_WORKER_ID}x`;
    const left = databases
      .map(({ name }) => name)
      .filter((name) => name.startsWith(own) || !(LASTING.includes(name) || /^t\d+x/.test(name)));
    for (const name of left) await client.db(name).dropDatabase();
    const keys = await redis.keys('*');
    const isOfAnother = (key) => /^t\d+x/.test(key) && !key.startsWith(own);
    const astray = keys.filter((key) => !(/^\{(?:shared|t\d+x\w+)\}/.test(key) || isOfAnother(key)));
    const ended = [...astray, ...keys.filter((key) => key.startsWith(`{${own}`))];
    if (ended.length > 0) await redis.unlink(ended);
    return [...left.map((name) => `the database ${name}`), ...astray.map((key) => `the Redis key ${key}`)];
  } finally {
    await client.close();
    redis.disconnect();
  }
}

/** Notes what is open; the returned function throws where a suite left more, or something on the servers. */
module.exports = function watchLeaks(settledAfterMs = SETTLED_AFTER_MS) {
  const before = openHandles();
  return async () => {
    const until = performance.now() + settledAfterMs;
    while (openedSince(before).length > 0 && performance.now() < until) await delay(20);
    const left = [...openedSince(before), ...(await leftOnServers())];
    if (left.length > 0) throw new Error(`This suite left behind: ${left.slice(0, 10).join(', ')}`);
  };
};
