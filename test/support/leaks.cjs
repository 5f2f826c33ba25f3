const { once } = require('node:events');
const { request } = require('node:http');
const { setTimeout: delay } = require('node:timers/promises');

/** How long closed handles may take to disappear. Only failures wait this long. */
const SETTLED_AFTER_MS = 20_000;

// Open the handles that Node opens at first use, so that they are not counted as leaks of a suite.
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

/** What this worker left on MongoDB, on Redis and in the service host, as reported by service-host-process.ts. */
async function leftOnServers() {
  const { TEST_SERVICE_HOST_URL, JEST_WORKER_ID = '1' } = process.env;
  if (TEST_SERVICE_HOST_URL === undefined) return [];
  const sent = request(`${TEST_SERVICE_HOST_URL}/workers/${JEST_WORKER_ID}/left`, {
    method: 'POST',
    agent: false,
  });
  sent.end();
  const [response] = await once(sent, 'response');
  const text = (await response.setEncoding('utf8').toArray()).join('');
  return response.statusCode === 200 ? JSON.parse(text) : [text];
}

/** Records the open handles. The returned function throws if there are more, or if the suite left data on servers. */
module.exports = function watchLeaks(settledAfterMs = SETTLED_AFTER_MS) {
  const before = openHandles();
  return async () => {
    const until = performance.now() + settledAfterMs;
    while (openedSince(before).length > 0 && performance.now() < until) await delay(20);
    const left = [...openedSince(before), ...(await leftOnServers())];
    if (left.length > 0) throw new Error(`This suite left behind: ${left.slice(0, 10).join(', ')}`);
  };
};
