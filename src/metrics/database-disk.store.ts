import type { Db } from '../platform/mongo.ts';

const MAX_TIME_MS = 1500;

/** In bytes. Through mongos, each shard's in `raw`. */
type Stats = { fsUsedSize?: number; fsTotalSize?: number; raw?: Record<string, Stats> };

/**
 * What part of the disk is used on which the primary has its data; of several shards, of the fullest. Undefined where the server
 * does not say. Rejects where the user lacks the right (`dbStats`).
 */
export async function readDiskUsed(db: Db): Promise<number | undefined> {
  return diskUsedIn(await db.getClient().db(db.name).command({ dbStats: 1, maxTimeMS: MAX_TIME_MS }));
}

export function diskUsedIn(stats: Stats): number | undefined {
  const parts = (stats.raw === undefined ? [stats] : Object.values(stats.raw)).flatMap(
    ({ fsUsedSize: used, fsTotalSize: total }) =>
      used === undefined || total === undefined || total === 0 ? [] : [used / total],
  );
  return parts.length === 0 ? undefined : Math.max(...parts);
}
