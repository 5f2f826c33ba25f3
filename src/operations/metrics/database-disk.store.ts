import type { Db } from '../../platform/mongo.ts';

const MAX_TIME_MS = 1500;

/** The used share of the disk with the primary's data; undefined if unknown. Rejects without privilege `dbStats`. */
export async function readDiskUsed(db: Db): Promise<number | undefined> {
  return diskUsedIn(await db.getClient().db(db.name).command({ dbStats: 1, maxTimeMS: MAX_TIME_MS }));
}

type Stats = { fsUsedSize?: number; fsTotalSize?: number };

export function diskUsedIn({ fsUsedSize: used, fsTotalSize: total }: Stats): number | undefined {
  return used === undefined || total === undefined || total === 0 ? undefined : used / total;
}
