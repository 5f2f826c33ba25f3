import type { Db } from '../../platform/mongo.ts';
import { omitUndefined } from '../../platform/objects.ts';
import { beyond, type Page, type Position, toPage } from '../../platform/pagination.ts';
import { type AuditRow, auditCollection, auditModel } from './audit.model.ts';
import { shortenForListing } from './redact.rules.ts';

/** Inserts an action with the database's time. Uses an upsert, because only updates can read that time. */
export async function insertAuditRow(db: Db, { _id, ...row }: Omit<AuditRow, 'at'>): Promise<void> {
  await auditModel(db).findOneAndUpdate(
    { _id },
    { $setOnInsert: row, $currentDate: { at: true } },
    { upsert: true, runValidators: true },
  );
}

export async function completeAuditRow(
  db: Db,
  id: string,
  set: Pick<AuditRow, 'status' | 'errorCode' | 'after'>,
  subjects: readonly string[],
): Promise<void> {
  await auditModel(db).updateOne({ _id: id }, { $set: set, $addToSet: { subjects: { $each: [...subjects] } } });
}

export async function setAttempts(db: Db, rows: readonly { id: string; attempts: number }[]): Promise<void> {
  if (rows.length === 0) return;
  await auditCollection(db).bulkWrite(
    rows.map(({ id, attempts }) => ({ updateOne: { filter: { _id: id }, update: { $set: { attempts } } } })),
    { ordered: false },
  );
}

export async function listActionNames(db: Db): Promise<string[]> {
  return auditCollection(db).distinct('action');
}

/** The latest of these actions about a subject, without rejected ones. */
export async function findLatestAction(db: Db, subject: string, actions: readonly string[]): Promise<AuditRow | null> {
  const isCarriedOut = { $or: [{ status: null }, { status: { $lt: 400 } }] };
  return auditCollection(db).findOne(
    { subjects: subject, action: { $in: [...actions] }, ...isCarriedOut },
    { sort: { at: -1, _id: -1 } },
  );
}

/** `from` and `to` are included; `who` is null for wrong keys. */
export type AuditFilter = {
  actions?: readonly string[];
  subject?: string;
  who?: AuditRow['who'];
  address?: string;
  from?: Date;
  to?: Date;
};

/** Actions, newest first, with up to 16 KB of each subject before and after. */
export async function listAuditRows(
  db: Db,
  { actions, subject, who, address, from, to }: AuditFilter,
  after: Position | undefined,
  limit: number,
): Promise<Page<AuditRow>> {
  const rows = await auditCollection(db)
    .find({
      ...omitUndefined({ action: actions && { $in: actions }, subjects: subject, who, address }),
      at: { $gte: from ?? new Date(0), ...omitUndefined({ $lte: to }) },
      ...beyond(after, 'at'),
    } as never)
    .sort({ at: -1, _id: -1 })
    .limit(limit + 1)
    // Shorten each row as it arrives, so that they are never all in memory in full.
    .map((row) => ({ ...row, before: shortenForListing(row.before), after: shortenForListing(row.after) }))
    .toArray();
  return toPage(rows, limit, (row) => ({ at: row.at, id: row._id }));
}
