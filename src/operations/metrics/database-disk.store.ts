import type { Db } from '../../platform/mongo.ts';

const MAX_TIME_MS = 1500;

/**
 * What part of the disk is used on which the primary has its data. Undefined where the server does not say. Rejects where the
 * user lacks the right (`dbStats`).
 */
export async function readDiskUsed(db: Db): Promise<number | undefined> {
  return diskUsedIn(await db.getClient().db(db.name).command({ dbStats: 1, maxTimeMS: MAX_TIME_MS }));
}

/** In bytes, as `dbStats` has them. */
type Stats = { fsUsedSize?: number; fsTotalSize?: number };

export function diskUsedIn({ fsUsedSize: used, fsTotalSize: total }: Stats): number | undefined {
  return used === undefined || total === undefined || total === 0 ? undefined : used / total;
}
