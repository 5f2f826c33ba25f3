const { once } = require('node:events');
const { request } = require('node:http');
const { setTimeout: delay } = require('node:timers/promises');

/** How long closed handles may take to disappear. Only failures wait this long. */
const SETTLED_AFTER_MS = 20_000;

// Node opens these at first use; open them here, so that no suite is blamed.
void [process.stdin, process.stdout, process.stderr];

/** Open handles that keep this process alive, counted by kind: sockets, timers, listeners, watchers. */
function openHandles() {
  const counts = new Map();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

/** Handles opened since `before`: `2 TCPSocketWrap`. */
function openedSince(before) {
  return [...openHandles()]
    .map(([kind, count]) => [kind, count - (before.get(kind) ?? 0)])
    .filter(([, more]) => more > 0)
    .map(([kind, more]) => `${more} ${kind}`);
}

/** What this worker left on MongoDB, on Redis and in the service host. The host looks (service-host-process.ts). */
async function leftOnServers() {
  const { TEST_SERVICE_HOST_URL, JEST_WORKER_ID = '1' } = process.env;
  if (TEST_SERVICE_HOST_URL === undefined) return [];
  const asked = request(`${TEST_SERVICE_HOST_URL}/workers/${JEST_WORKER_ID}/left`, {
    method: 'POST',
    agent: false,
  });
  asked.end();
  const [response] = await once(asked, 'response');
  const text = (await response.setEncoding('utf8').toArray()).join('');
  return response.statusCode === 200 ? JSON.parse(text) : [text];
}

/** Records the open handles; the returned function throws if the suite left more, or left anything on the servers. */
module.exports = function watchLeaks(settledAfterMs = SETTLED_AFTER_MS) {
  const before = openHandles();
  return async () => {
    const until = performance.now() + settledAfterMs;
    while (openedSince(before).length > 0 && performance.now() < until) await delay(20);
    const left = [...openedSince(before), ...(await leftOnServers())];
    if (left.length > 0) throw new Error(`This suite left behind: ${left.slice(0, 10).join(', ')}`);
  };
};
