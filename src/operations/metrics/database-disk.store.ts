import type { Db } from '../../platform/mongo.ts';

const MAX_TIME_MS = 1500;

/** The used share of the disk with the primary's data; undefined if unknown. Rejects without privilege `dbStats`. */
export async function readDiskUsed(db: Db): Promise<number | undefined> {
  const stats = await db.getClient().db(db.name).command({ dbStats: 1, maxTimeMS: MAX_TIME_MS });
  const { fsUsedSize: used, fsTotalSize: total } = stats as { fsUsedSize?: number; fsTotalSize?: number };
  return used === undefined || total === undefined || total === 0 ? undefined : used / total;
}
