import { setTimeout as delay } from 'node:timers/promises';

/**
 * Makes a read of many one that callers share: each waits `everyMs` at least, and those who ask meanwhile are served by one read
 * of at most `maxKeys`, first come, first served. There is never more than one read under way; where it fails, it fails for those
 * it was for.
 */
export function batchedRead<Value>(
  read: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
  { everyMs, maxKeys }: { everyMs: number; maxKeys: number },
): (key: string) => Promise<Value | undefined> {
  type Waiting = { key: string; resolve: (found: Value | undefined) => void; reject: (err: unknown) => void };
  const waiting: Waiting[] = [];
  let isRunning = false;
  const run = async () => {
    isRunning = true;
    while (waiting.length > 0) {
      await delay(everyMs);
      const batch = waiting.splice(0, maxKeys);
      try {
        const found = await read([...new Set(batch.map(({ key }) => key))]);
        for (const { key, resolve } of batch) resolve(found.get(key));
      } catch (err) {
        for (const { reject } of batch) reject(err);
      }
    }
    isRunning = false;
  };
  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject });
      if (!isRunning) void run();
    });
}
